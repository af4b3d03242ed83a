import { ClusterList, type ClusterSummary } from '../../functions/clusters/cluster-view-schema.ts';
import { type LaunchesClient, LaunchShown } from './launches-client.ts';

/** What there is of launches, in davit and in its clusters. */
export interface Seen {
  /** By launch id; undefined for a launch that davit does not show. */
  launches: ReadonlyMap<string, LaunchShown | undefined>;
  /** All objects with davit's label, in any namespace. */
  objects: readonly SeenObject[];
  /** The launches whose executions run. */
  executions: readonly string[];
  slots: readonly { launchId: string; limit: string }[];
  clusters: readonly Pick<ClusterSummary, 'name' | 'connected'>[];
}

/** An object in a cluster. */
export interface SeenObject {
  launchId: string;
  kind: string;
  /** With its namespace and its cluster, for people. */
  name: string;
}

/** A violation of an invariant. */
export interface Violation {
  /** Empty for a violation that is of no launch. */
  launchId: string;
  detail: string;
}

/** The most rounds after which everything is at rest: docs/invariants.md names what each of them does. */
export const mostRounds = 3;

/**
 * Finds what has not come to rest: empty when every launch is over, or connected with its Pod, and nothing else is left or
 * held.
 *
 * @param lasting the launches that may stay connected, because their jobs go on
 */
export function unsettled(
  { launches, objects, executions, slots, clusters }: Seen,
  lasting: readonly string[],
): Violation[] {
  const isAtWork = (launchId: string) => lasting.includes(launchId) && launches.get(launchId)?.status === 'connected';
  const hasPod = new Set(objects.filter(({ kind }) => kind === 'Pod').map(({ launchId }) => launchId));
  return [
    ...[...launches].flatMap(([launchId, launch]) =>
      isOver(launch) || isAtWork(launchId)
        ? []
        : [{ launchId, detail: `is not at rest: it is ${launch?.status ?? 'unknown'}` }],
    ),
    ...[...launches.keys()]
      .filter((launchId) => isAtWork(launchId) && !hasPod.has(launchId))
      .map((launchId) => ({ launchId, detail: 'is connected, and has no Pod' })),
    ...objects
      .filter(({ launchId }) => !isAtWork(launchId))
      .map(({ launchId, kind, name }) => ({ launchId, detail: `${kind} ${name} is left` })),
    ...executions.map((launchId) => ({ launchId, detail: 'its execution runs' })),
    ...slots
      .filter(({ launchId }) => !isAtWork(launchId))
      .map(({ launchId, limit }) => ({ launchId, detail: `holds a slot of ${limit}` })),
    ...clusters
      .filter(({ connected }) => connected !== true)
      .map(({ name, connected }) => ({ launchId: '', detail: `cluster ${name} is connected: ${connected}` })),
  ];
}

/** Asks davit for launches and for its clusters. What it does not show now is unknown. */
export async function askAboutLaunches(
  client: Pick<LaunchesClient, 'get'>,
  launchIds: readonly string[],
): Promise<Pick<Seen, 'launches' | 'clusters'>> {
  const asked = launchIds.map(async (launchId) => {
    const { status, body } = await client.get(`/launches/${launchId}`);
    return [launchId, status === 200 ? LaunchShown.parse(body) : undefined] as const;
  });
  const launches = new Map(await Promise.all(asked));
  const { status, body } = await client.get('/clusters');
  const { clusters } =
    status === 200 ? ClusterList.parse(body) : { clusters: [{ name: '', connected: 'unknown' as const }] };
  return { launches, clusters };
}

/** Whether a launch has ended, and davit has seen that nothing is left of it. */
function isOver(launch: { status: string } | undefined): boolean {
  return launch?.status === 'failed' || launch?.status === 'terminated';
}
