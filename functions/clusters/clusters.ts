import type { Profile } from '../../core/config/config.ts';
import { clustersOf, isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Launches } from '../../ports/launches.ts';
import { type HttpAnswer, jsonAnswer } from '../../runtime/http/answer.ts';
import { Problem } from '../../runtime/http/problem.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { clusterSummary, clusterView, type KnownCluster } from './cluster-view.ts';
import type { ClusterList, ClusterSummary } from './cluster-view-schema.ts';

type LaunchCounts = ClusterSummary['launches'];

interface ClustersDeps {
  /** The names in davit.yaml. */
  clusters: readonly string[];
  profiles: readonly Pick<Profile, 'clusters' | 'namespace'>[];
  clusterStates: Pick<ClusterStates, 'list'>;
  launches: Pick<Launches, 'list'>;
  nowEpochMs: () => number;
}

const pageSize = 500;

/**
 * Answers `GET /clusters` and `GET /clusters/{name}`, for people. API Gateway checks the caller's identity before.
 *
 * @throws Problem cluster-unknown; TransientError StoreUnavailable
 */
export async function answerClusters(deps: ClustersDeps, { parameters: { name } }: HttpRequest): Promise<HttpAnswer> {
  const known = await knownClusters(deps);
  if (name === undefined) {
    const list: ClusterList = { clusters: known.map(clusterSummary) };
    return jsonAnswer(200, list);
  }
  const cluster = known.find((each) => each.name === name);
  if (cluster === undefined) {
    throw new Problem('cluster-unknown', {
      detail: 'There is no cluster of this name.',
      extra: { clusters: known.map((each) => each.name) },
    });
  }
  return jsonAnswer(200, clusterView(cluster));
}

/** The clusters of davit.yaml, then those that it no longer has and that launches use or may have left objects in. */
async function knownClusters(deps: ClustersDeps): Promise<KnownCluster[]> {
  const [states, counts] = await Promise.all([deps.clusterStates.list(), countLaunches(deps)]);
  const nowEpochMs = deps.nowEpochMs();
  const stateOf = new Map(states.map((state) => [state.cluster, state]));
  const inUse = [...counts.keys(), ...states.filter(({ left }) => left !== undefined).map(({ cluster }) => cluster)];
  const removed = inUse.filter((cluster) => !deps.clusters.includes(cluster)).toSorted();
  return [...new Set([...deps.clusters, ...removed])].map((name) => ({
    name,
    state: stateOf.get(name),
    namespaces: namespacesOf(deps.profiles, name),
    launches: counts.get(name) ?? none,
    isConfigured: deps.clusters.includes(name),
    nowEpochMs,
  }));
}

function namespacesOf(profiles: ClustersDeps['profiles'], cluster: string): readonly string[] {
  return [...new Set(profiles.flatMap(({ clusters, namespace }) => (clusters.includes(cluster) ? [namespace] : [])))];
}

const none: LaunchCounts = { launching: 0, connected: 0, cleaning: 0 };

async function countLaunches({ launches }: ClustersDeps): Promise<ReadonlyMap<string, LaunchCounts>> {
  const counts = new Map<string, LaunchCounts>();
  let cursor: string | undefined;
  do {
    const query = { statuses: ['launching', 'connected', 'cleaning'], limit: pageSize } as const;
    const page = await launches.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    for (const record of page?.launches ?? []) count(counts, record);
    cursor = page?.cursor;
  } while (cursor !== undefined);
  return counts;
}

/** A launch that is over is cleaned up in every cluster that it has used. */
function count(counts: Map<string, LaunchCounts>, record: LaunchRecord): void {
  const { status } = record;
  if (status === 'failed' || status === 'terminated') return;
  for (const cluster of isLive(record) ? clustersOf(record).slice(0, 1) : clustersOf(record)) {
    const known = counts.get(cluster) ?? none;
    counts.set(cluster, { ...known, [status]: known[status] + 1 });
  }
}
