import type { ObjectPort } from '../../ports/cluster.ts';
import type { ObjectCandidate } from './candidate.ts';
import { judgeObject, launchIdOfObject, type ObjectMetadata } from './judge-object.ts';
import type { SweepDeps } from './sweep-deps.ts';
import type { ObjectFinding } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';
import { type ObjectReason, spared, type Verdict } from './verdict.ts';

/**
 * Reads an object again, and deletes it if it is still the same object and still belongs to no live launch.
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
    const verdict = await judgeAgain(deps, objects, candidate);
    if (verdict.is === 'found' && !dryRun) await objects.delete(namespace, name, uid);
    return verdict;
  });
  if (handled === undefined) return { ...finding, reason, outcome: 'failed' };
  if (handled.is === 'found') return { ...finding, reason: handled.reason, outcome: dryRun ? 'found' : 'deleted' };
  run.spare(handled.is === 'spared' ? handled.why : 'ChangedMeanwhile');
  return undefined;
}

async function judgeAgain(
  { launches, nowEpochMs }: SweepDeps,
  objects: Pick<ObjectPort<{ metadata: ObjectMetadata }>, 'get'>,
  { namespace, name, uid }: ObjectCandidate,
): Promise<Verdict<ObjectReason>> {
  const object = await objects.get(namespace, name);
  if (object?.metadata.uid !== uid) return spared('ChangedMeanwhile');
  const launchId = launchIdOfObject(object.metadata);
  const record = launchId === undefined ? undefined : await launches.get(launchId);
  return judgeObject(object.metadata, record, nowEpochMs());
}
