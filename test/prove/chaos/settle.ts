import * as z from 'zod';
import { labelKeys } from '../../../core/launch/names.ts';
import { ClusterList } from '../../../functions/clusters/cluster-view-schema.ts';
import type { SweepReport } from '../../../functions/sweep/sweep-report.ts';
import { sleepUnlessAborted } from '../../../logic/steps/sleep.ts';
import type { LaunchShown } from '../../support/launches-client.ts';
import { until } from '../cluster/until.ts';
import type { LiveDavit } from '../on-cluster/live-davit.ts';
import type { JobRun } from './run-launch.ts';
import type { ReachedCluster, World } from './world.ts';

/** The state after a run. */
export interface Settled {
  /** By launch id, without the launches that davit does not show. */
  launches: ReadonlyMap<string, LaunchShown>;
  /** All objects with davit's label, in any namespace. */
  left: readonly Left[];
  /** The result of the one sweep. */
  sweep: SweepReport;
}

/** A leftover object. */
export interface Left {
  launchId: string;
  /** As `Pod davit-agents/davit-1 in CLUSTER`. */
  detail: string;
}

const Objects = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), namespace: z.string(), labels: z.record(z.string(), z.string()) }),
    }),
  ),
});
const resources = [
  { kind: 'Service', path: '/api/v1/services' },
  { kind: 'Pod', path: '/api/v1/pods' },
  { kind: 'EndpointSlice', path: '/apis/discovery.k8s.io/v1/endpointslices' },
];
const readyWithinMs = 60_000;
/** The probe checks at least once a minute. */
const connectedWithinMs = 90_000;
/** Time for the survivors to finish their work. */
const finishMs = 5000;
/** Time for the sweep's deletions: a container has its grace period, and its kubelet checks a second time. */
const goneWithinMs = 90_000;
const lookMs = 1000;

/**
 * Sweeps once after the last kill. Then checks until all launches are over and no object is left, or time is up.
 *
 * @throws Error when the API server does not come up again, or davit does not answer
 */
export async function settle(world: World, runs: readonly JobRun[]): Promise<Settled> {
  const { clusters, over } = world;
  for (const { cluster, api } of clusters) {
    const what = `the API server of ${cluster.name} is ready`;
    await until(what, readyWithinMs, async () => (await api.send('/readyz')).status === 200);
  }
  await sleepUnlessAborted(finishMs, over);
  const davit = await world.davit();
  await until('davit is connected to each cluster', connectedWithinMs, async () => {
    const { body } = await davit.launches.get('/clusters');
    return ClusterList.parse(body).clusters.every(({ connected }) => connected === true);
  });
  const sweep = await davit.sweep({ dryRun: false, graceSeconds: 0 });
  const launches = new Map<string, LaunchShown>();
  const deadlineMs = performance.now() + goneWithinMs;
  for (;;) {
    over.throwIfAborted();
    await showAll(davit, runs, launches);
    const left = (await Promise.all(clusters.map(findLeft))).flat();
    const isDone = left.length === 0 && runs.every(({ launchId }) => isOver(launches.get(launchId)));
    if (isDone || performance.now() > deadlineMs) return { launches, left, sweep };
    await sleepUnlessAborted(lookMs, over);
  }
}

/** Whether a launch has ended, and davit has seen that nothing is left of it. */
export function isOver(launch: LaunchShown | undefined): boolean {
  return launch?.status === 'failed' || launch?.status === 'terminated';
}

/** Reads each launch that was not over again, also those that davit did not show. */
async function showAll({ launches }: LiveDavit, runs: readonly JobRun[], shown: Map<string, LaunchShown>) {
  for (const { launchId } of runs) {
    if (isOver(shown.get(launchId))) continue;
    const [look] = await Promise.allSettled([launches.show(launchId)]);
    if (look.status === 'fulfilled') shown.set(launchId, look.value);
  }
}

async function findLeft({ cluster, api }: ReachedCluster): Promise<Left[]> {
  const selector = encodeURIComponent(`${labelKeys.managedBy}=davit`);
  const lists = resources.map(async ({ kind, path }) => {
    const { items } = Objects.parse((await api.send(`${path}?labelSelector=${selector}`)).body);
    return items.map(({ metadata: { name, namespace, labels } }) => ({
      launchId: labels[labelKeys.launchId] ?? '',
      detail: `${kind} ${namespace}/${name} in ${cluster.name}`,
    }));
  });
  return (await Promise.all(lists)).flat();
}
