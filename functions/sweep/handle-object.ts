import type { ObjectPort } from '../../ports/cluster.ts';
import type { ObjectCandidate } from './candidate.ts';
import { isLeftToCleanUp, judgeObject, launchIdOfObject, type ObjectMetadata } from './judge-object.ts';
import type { SweepDeps } from './sweep-deps.ts';
import type { ObjectFinding } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';
import { type ObjectReason, spared, type Verdict } from './verdict.ts';

/**
 * Reads an object again. If it is still the same object and still belongs to no live launch, deletes it, or requests the
 * clean-up that is to delete it.
 *
 * @returns undefined when the object is spared
 */
export async function handleObject(
  deps: SweepDeps,
  run: SweepRun,
  candidate: ObjectCandidate,
  { dryRun }: { dryRun: boolean },
): Promise<ObjectFinding | undefined> {
  const { kind, cluster, namespace, name, uid, launchId, reason } = candidate;
  const finding = { kind, cluster, namespace, name, uid, launchId };
  const handled = await run.attempt(`${kind} ${name} in cluster ${cluster}, namespace ${namespace}`, async () => {
    const { services, pods } = await deps.openCluster(cluster);
    const objects = kind === 'Pod' ? pods : services;
    const { verdict, isLeft } = await judgeAgain(deps, objects, candidate);
    if (verdict.is !== 'found' || dryRun) return { verdict, outcome: 'found' } as const;
    if (isLeft) await deps.invokeLater('clean-up', { launchId });
    else await objects.delete(namespace, name, uid);
    return { verdict, outcome: isLeft ? 'asked' : 'deleted' } as const;
  });
  if (handled === undefined) return { ...finding, reason, outcome: 'failed' };
  const { verdict, outcome } = handled;
  if (verdict.is === 'found') return { ...finding, reason: verdict.reason, outcome };
  run.spare(verdict.is === 'spared' ? verdict.why : 'ChangedMeanwhile');
  return undefined;
}

/** The verdict about an object. `isLeft`: a clean-up of the launch removes what is found, not the sweep. */
interface Judged {
  verdict: Verdict<ObjectReason>;
  isLeft: boolean;
}

async function judgeAgain(
  { launches, nowEpochMs }: SweepDeps,
  objects: Pick<ObjectPort<{ metadata: ObjectMetadata }>, 'get'>,
  { namespace, name, uid }: ObjectCandidate,
): Promise<Judged> {
  const object = await objects.get(namespace, name);
  if (object?.metadata.uid !== uid) return { verdict: spared('ChangedMeanwhile'), isLeft: false };
  const launchId = launchIdOfObject(object.metadata);
  const record = launchId === undefined ? undefined : await launches.get(launchId);
  const now = nowEpochMs();
  const isLeft = record !== undefined && isLeftToCleanUp(object.metadata, record, now);
  return { verdict: judgeObject(object.metadata, record, now), isLeft };
}
