import { awayAt, type ClusterState } from '../../core/cluster/cluster-state.ts';
import { Connected } from '../../core/cluster/connection.ts';
import type { Profile } from '../../core/config/config.ts';
import { DavitError } from '../../core/errors/errors.ts';
import { ProbeRequest } from '../../core/invoked-events.ts';
import * as z from '../../core/zod.ts';
import type { Launches } from '../../ports/launches.ts';
import { busyMs, type LookDeps, lookAtCluster, type ProbedCluster } from './probe-cluster.ts';

/** The dependencies of a probe. */
export interface ProbeDeps extends LookDeps {
  profiles: readonly Pick<Profile, 'clusters' | 'namespace'>[];
  launches: Pick<Launches, 'list'>;
  log: { error(message: string, error: Error): void };
  /** How long a probe keeps looking while a cluster is away or has launches, in milliseconds. */
  totalMs: number;
}

/** The cluster to look at; or, as the schedule asks, all of them. */
export const ProbeInput = z.partial(ProbeRequest);
export type ProbeInput = z.infer<typeof ProbeInput>;

/** The last state that a probe saw of each cluster. */
export const ProbeReport = z.object({
  clusters: z.array(
    z.object({
      cluster: z.string(),
      connected: Connected,
      /** The namespaces in which launches do not work although the cluster answers. */
      namespacesAway: z.array(z.string()),
      looks: z.int().check(z.gte(0)),
    }),
  ),
});
export type ProbeReport = z.infer<typeof ProbeReport>;

/** The pause before the second look at an idle cluster: with one probe a minute, davit sees a loss within 52 s. */
const idleMs = 8000;

/** Why a probe looks. For `trouble`, it stops when the trouble is over. */
type Occasion = 'schedule' | 'launch' | 'trouble';
/** How long davit reuses the answer whether a cluster has launches. */
export const launchesMs = 5000;
const mostLaunches = 100;

/**
 * Looks at every cluster that a profile names, or at the one in its input. While a cluster or a namespace is away, or has
 * launches under way, keeps looking until its time is up, so that davit sees a loss and a return within seconds. Otherwise
 * looks twice.
 *
 * @throws TransientError StoreUnavailable when the launches cannot be listed
 */
export async function probe(
  deps: ProbeDeps,
  { cluster: asked, isLaunching = false }: ProbeInput = {},
): Promise<ProbeReport> {
  const untilEpochMs = deps.nowEpochMs() + deps.totalMs;
  const launching = busyClusters(deps);
  const probed = placesOf(deps.profiles).filter(({ cluster }) => asked === undefined || cluster === asked);
  if (asked !== undefined && isLaunching && !(await beginWatch(deps, asked))) return { clusters: [] };
  const occasion = asked === undefined ? 'schedule' : isLaunching ? 'launch' : 'trouble';
  const clusters = await Promise.all(
    probed.map((cluster) =>
      probeCluster(deps, cluster, { untilEpochMs, occasion, isBusy: () => launching(cluster.cluster) }),
    ),
  );
  return { clusters };
}

/**
 * Makes this probe and the schedule's next one look at a cluster for a while, as if it had launches: the index may not
 * list the new launch yet.
 *
 * @returns whether this probe has to look. If the cluster has no record yet, or a probe watches it already, another
 *   probe looks
 */
async function beginWatch({ clusterStates, nowEpochMs }: ProbeDeps, cluster: string): Promise<boolean> {
  const atEpochMs = nowEpochMs();
  const known = await clusterStates.get(cluster);
  if (known === undefined) return false;
  await clusterStates.report({ cluster, kind: 'launching', atEpochMs });
  return !isWatched(known, atEpochMs);
}

function isWatched({ watchedUntilEpochMs = 0 }: ClusterState, nowEpochMs: number): boolean {
  return nowEpochMs < watchedUntilEpochMs;
}

/** The clusters that profiles name, each with its namespaces. */
export function placesOf(profiles: ProbeDeps['profiles']): ProbedCluster[] {
  const namespaces = new Map<string, Set<string>>();
  for (const { clusters, namespace } of profiles) {
    for (const cluster of clusters) namespaces.set(cluster, (namespaces.get(cluster) ?? new Set()).add(namespace));
  }
  return [...namespaces].map(([cluster, names]) => ({ cluster, namespaces: [...names] }));
}

async function probeCluster(
  deps: ProbeDeps,
  probed: ProbedCluster,
  { untilEpochMs, occasion, isBusy }: { untilEpochMs: number; occasion: Occasion; isBusy: () => Promise<boolean> },
): Promise<ProbeReport['clusters'][number]> {
  let connected: Connected = 'unknown';
  let namespacesAway: string[] = [];
  let failedLooks = 0;
  let idleLooks = 0;
  for (let looks = 1; ; looks += 1) {
    let pauseMs = busyMs;
    let isInTrouble = false;
    let isLaunching = false;
    try {
      const looked = await lookAtCluster(deps, probed, failedLooks, looks === 1 && occasion !== 'launch');
      ({ isInTrouble, pauseMs } = looked);
      connected = looked.state.connected;
      namespacesAway = connected === false ? [] : namespacesAwayOf(looked.state, probed, deps.nowEpochMs());
      isLaunching = isWatched(looked.state, deps.nowEpochMs());
    } catch (error) {
      // davit could not store this state. It goes on with the other clusters and the next look.
      if (!(error instanceof DavitError)) throw error;
      deps.log.error(`the state of cluster ${probed.cluster} was not kept`, error);
    }
    failedLooks = isInTrouble ? failedLooks + 1 : 0;
    if (!isInTrouble && occasion !== 'trouble') {
      const isIdle = !isLaunching && !(await isBusy());
      idleLooks = isIdle ? idleLooks + 1 : 0;
      pauseMs = isIdle && occasion === 'schedule' ? idleMs : busyMs;
    }
    const isEnough = occasion === 'trouble' ? !isInTrouble : idleLooks === 2;
    if (isEnough || deps.nowEpochMs() + pauseMs >= untilEpochMs) {
      return { cluster: probed.cluster, connected, namespacesAway, looks };
    }
    await deps.sleep(pauseMs);
  }
}

function namespacesAwayOf(state: ClusterState, { namespaces }: ProbedCluster, nowEpochMs: number): string[] {
  return namespaces.filter((namespace) => awayAt(state, namespace, nowEpochMs) !== undefined);
}

/** Finds the clusters with launches under way. All probed clusters share one read. */
function busyClusters({ launches, nowEpochMs }: ProbeDeps): (cluster: string) => Promise<boolean> {
  let read: { atEpochMs: number; clusters: Promise<ReadonlySet<string> | 'all'> } | undefined;

  async function list(): Promise<ReadonlySet<string> | 'all'> {
    const page = await launches.list({ statuses: ['launching'], limit: mostLaunches });
    // There is more than one page: a cluster that is not on it is likely to have a launch, too.
    if (page?.cursor !== undefined) return 'all';
    return new Set(page?.launches.flatMap(({ plan }) => plan?.cluster ?? []));
  }
  return async (cluster) => {
    const now = nowEpochMs();
    if (read === undefined || now - read.atEpochMs >= launchesMs) read = { atEpochMs: now, clusters: list() };
    const clusters = await read.clusters;
    return clusters === 'all' || clusters.has(cluster);
  };
}
