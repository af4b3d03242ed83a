import * as z from 'zod';
import { labelKeys } from '../../functions/domain/names.ts';
import { sleepUnlessAborted } from '../../functions/steps/sleep.ts';
import type { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { until } from '../cluster/until.ts';
import type { ApiClient } from '../contract/api-client.ts';
import type { LiveDavit } from '../on-cluster/live-davit.ts';
import type { LaunchShown } from '../support/launches-client.ts';
import type { JobRun } from './run-launch.ts';
import type { World } from './world.ts';

/** What there is when everything is over. */
export interface Settled {
  /** By launch id; a launch that davit does not show is not among them. */
  launches: ReadonlyMap<string, LaunchShown>;
  /** Everything with davit's label, in any namespace. */
  left: readonly Left[];
  /** The one sweep. */
  sweep: SweepReport;
}

/** Something that is left. */
export interface Left {
  launchId: string;
  /** As `Pod davit-agents/davit-1`. */
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
/** For whoever was not killed to finish what it is at. */
const finishMs = 5000;
/** For what the sweep has asked for to be done: a container has its grace period, and its kubelet a second look. */
const goneWithinMs = 90_000;
const lookMs = 1000;

/**
 * Sweeps once, now that nothing is killed any more, and looks until all launches are over and nothing is left, or time
 * is up.
 *
 * @throws Error when the API server does not come up again, or davit does not answer
 */
export async function settle(world: World, runs: readonly JobRun[]): Promise<Settled> {
  const { api, over } = world;
  await until('the API server is ready', readyWithinMs, async () => (await api.send('/readyz')).status === 200);
  await sleepUnlessAborted(finishMs, over);
  const davit = await world.davit();
  const sweep = await davit.sweep({ dryRun: false, graceSeconds: 0 });
  const launches = new Map<string, LaunchShown>();
  const deadlineMs = performance.now() + goneWithinMs;
  for (;;) {
    over.throwIfAborted();
    await showAll(davit, runs, launches);
    const left = await findLeft(api);
    const isDone = left.length === 0 && runs.every(({ launchId }) => isOver(launches.get(launchId)));
    if (isDone || performance.now() > deadlineMs) return { launches, left, sweep };
    await sleepUnlessAborted(lookMs, over);
  }
}

/** Whether a launch has come to its end, and davit has seen that nothing is left of it. */
export function isOver(launch: LaunchShown | undefined): boolean {
  return launch?.status === 'failed' || launch?.status === 'terminated';
}

/** Looks at each launch that was not over; one that davit does not show is looked for again. */
async function showAll({ launches }: LiveDavit, runs: readonly JobRun[], shown: Map<string, LaunchShown>) {
  for (const { launchId } of runs) {
    if (isOver(shown.get(launchId))) continue;
    const [look] = await Promise.allSettled([launches.show(launchId)]);
    if (look.status === 'fulfilled') shown.set(launchId, look.value);
  }
}

async function findLeft(api: ApiClient): Promise<Left[]> {
  const selector = encodeURIComponent(`${labelKeys.managedBy}=davit`);
  const lists = resources.map(async ({ kind, path }) => {
    const { items } = Objects.parse((await api.send(`${path}?labelSelector=${selector}`)).body);
    return items.map(({ metadata: { name, namespace, labels } }) => ({
      launchId: labels[labelKeys.launchId] ?? '',
      detail: `${kind} ${namespace}/${name}`,
    }));
  });
  return (await Promise.all(lists)).flat();
}
