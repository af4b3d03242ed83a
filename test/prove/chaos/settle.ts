import type { SweepReport } from '../../../functions/sweep/sweep-report.ts';
import { sleepUnlessAborted } from '../../../logic/steps/sleep.ts';
import { askAboutLaunches, mostRounds, type Seen, type SeenObject, unsettled } from '../../support/unsettled.ts';
import type { LiveDavit } from '../on-cluster/live-davit.ts';
import { launchIdOf, listDavits } from './agents.ts';
import type { Lasting } from './last-faults.ts';
import type { JobRun } from './run-launch.ts';
import { type ReachedCluster, untilReady, type World } from './world.ts';

/** The state after the last fault. */
export interface Settled extends Seen {
  /** The rounds that had begun by then. */
  rounds: number;
  /** The report of the first round's sweep. */
  sweep: SweepReport;
}

const resources = [
  { kind: 'Service', path: '/api/v1/services' },
  { kind: 'Pod', path: '/api/v1/pods' },
  { kind: 'EndpointSlice', path: '/apis/discovery.k8s.io/v1/endpointslices' },
];
/** Longer than as many sweeps of a schedule as a run may have. */
const sweepsWithinMs = 600_000;
const lookMs = 1000;

/**
 * Drives one round after the last fault. davit's own sweeps begin the next ones, as its schedules do. Looks until
 * everything is at rest, or more rounds have begun than it may take.
 *
 * @param countSweeps counts davit's own sweeps so far
 * @throws Error when an API server does not come up again, or davit does not answer or no longer sweeps
 */
export async function settle(
  world: World,
  runs: readonly JobRun[],
  { launchIds: lasting }: Lasting,
  countSweeps: () => number,
): Promise<Settled> {
  await untilReady(world);
  const davit = await world.davit();
  const launchIds = [...runs.map(({ launchId }) => launchId), ...lasting];
  const [sweptBefore, deadlineMs] = [countSweeps(), performance.now() + sweepsWithinMs];
  const sweep = await davit.round();
  for (;;) {
    world.over.throwIfAborted();
    const seen = await look(world, davit, launchIds);
    const rounds = 1 + countSweeps() - sweptBefore;
    if (rounds > mostRounds || unsettled(seen, lasting).length === 0) return { ...seen, rounds, sweep };
    if (performance.now() > deadlineMs) throw new Error(`davit has begun ${rounds} rounds, and no further one`);
    await sleepUnlessAborted(lookMs, world.over);
  }
}

async function look({ clusters }: World, davit: LiveDavit, launchIds: readonly string[]): Promise<Seen> {
  // The objects come first: what is created afterwards has a launch that is under way.
  const objects = (await Promise.all(clusters.map(listObjects))).flat();
  return { objects, ...(await askAboutLaunches(davit.launches, launchIds)), ...(await davit.held()) };
}

async function listObjects({ cluster, api }: ReachedCluster): Promise<SeenObject[]> {
  const lists = resources.map(async ({ kind, path }) => {
    return (await listDavits(api, path)).map((object) => {
      const { name, namespace } = object.metadata;
      return { launchId: launchIdOf(object), kind, name: `${namespace}/${name} in ${cluster.name}` };
    });
  });
  return (await Promise.all(lists)).flat();
}
