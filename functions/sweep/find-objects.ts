import { clustersOf, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { hasEnded } from '../../core/pod/has-ended.ts';
import type { ObjectPort } from '../../ports/cluster.ts';
import type { ClusterNamespace, ObjectCandidate } from './candidate.ts';
import { davitsLabel, judgeObject, launchIdOfObject, type ObjectMetadata } from './judge-object.ts';
import type { SweepDeps } from './sweep-deps.ts';
import type { ObjectFinding } from './sweep-report.ts';
import type { SweepRun } from './sweep-run.ts';

/** The sweep's findings in one namespace. */
export interface NamespaceSight {
  where: ClusterNamespace;
  candidates: ObjectCandidate[];
  /** The Pods by name; absent when the sweep had no time to list them all. */
  pods?: ReadonlyMap<string, 'there' | 'exited'>;
}

/**
 * Names every namespace that may have davit's objects: those of the profiles, those that launches use or have used, and those
 * in drained clusters.
 */
export function namespacesOf(
  profiles: SweepDeps['profiles'],
  launches: readonly Pick<LaunchRecord, 'plan' | 'generations'>[],
  drained: readonly ClusterNamespace[],
): ClusterNamespace[] {
  const ofProfiles = profiles.flatMap(({ clusters, namespace }) => clusters.map((cluster) => ({ cluster, namespace })));
  const ofLaunches = launches.flatMap((launch) =>
    clustersOf(launch).map((cluster) => ({ cluster, namespace: launch.plan?.namespace ?? '' })),
  );
  const namespaces = [...ofProfiles, ...ofLaunches, ...drained].map(({ cluster, namespace }) => ({
    cluster,
    namespace,
  }));
  return [...new Map(namespaces.map((where) => [`${where.cluster} ${where.namespace}`, where])).values()];
}

/**
 * Lists davit's Services and Pods in one namespace. Compares each page with the launches' records, which it reads after the
 * page.
 *
 * @throws TransientError, TerminalError when the cluster or the launches cannot be read
 */
export async function findObjects(deps: SweepDeps, run: SweepRun, where: ClusterNamespace): Promise<NamespaceSight> {
  const { services, pods } = await deps.openCluster(where.cluster);
  const candidates: ObjectCandidate[] = [];
  const found = new Map<string, 'there' | 'exited'>();
  const judgePage = async (kind: ObjectFinding['kind'], objects: readonly ObjectMetadata[]) => {
    candidates.push(...(await judgeAll(deps, run, where, kind, objects)));
  };
  const hasAllServices = await eachPage(run, services, where, (items) => judgePage('Service', items.map(metadataOf)));
  const hasAllPods = await eachPage(run, pods, where, (items) => {
    for (const pod of items) found.set(pod.metadata.name, hasEnded(pod) ? 'exited' : 'there');
    return judgePage('Pod', items.map(metadataOf));
  });
  return { where, candidates, ...(hasAllServices && hasAllPods ? { pods: found } : {}) };
}

function metadataOf({ metadata }: { metadata: ObjectMetadata }): ObjectMetadata {
  return metadata;
}

/** @returns whether there was time for every page */
async function eachPage<View>(
  run: SweepRun,
  objects: ObjectPort<View>,
  { namespace }: ClusterNamespace,
  take: (items: readonly View[]) => Promise<void>,
): Promise<boolean> {
  let cursor: string | undefined;
  do {
    if (!run.mayFind()) return false;
    const page = await objects.list(namespace, davitsLabel, cursor);
    run.seen.objects += page.items.length;
    await take(page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return true;
}

async function judgeAll(
  { launches, nowEpochMs }: SweepDeps,
  run: SweepRun,
  where: ClusterNamespace,
  kind: ObjectFinding['kind'],
  objects: readonly ObjectMetadata[],
): Promise<ObjectCandidate[]> {
  const { records, unreadable } = await launches.getMany(objects.flatMap((object) => launchIdOfObject(object) ?? []));
  run.reportUnreadable(unreadable);
  const now = nowEpochMs();
  return objects.flatMap((object) => {
    const launchId = launchIdOfObject(object) ?? '';
    if (unreadable.some((launch) => launch.launchId === launchId)) return [];
    const verdict = judgeObject(object, records.get(launchId), now);
    if (verdict.is === 'spared') run.spare(verdict.why);
    if (verdict.is !== 'found') return [];
    const { name, uid, creationTimestamp } = object;
    const sinceEpochMs = creationTimestamp === undefined ? now : Date.parse(creationTimestamp);
    return [{ ...where, kind, name, uid, launchId, reason: verdict.reason, sinceEpochMs }];
  });
}
