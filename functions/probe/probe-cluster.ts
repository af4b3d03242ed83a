import { reasonOf } from '../cluster-reports/reason-of.ts';
import { type ClusterReport, type ClusterState, connectedAt } from '../domain/cluster-state.ts';
import type { ClusterHealth, OpenClusterHealth } from '../ports/cluster.ts';
import type { ClusterStates } from '../ports/cluster-states.ts';

/** The dependencies of one look at a cluster. */
export interface LookDeps {
  openHealth: OpenClusterHealth;
  clusterStates: Pick<ClusterStates, 'get' | 'report'>;
  nowEpochMs: () => number;
  sleep: (ms: number) => Promise<void>;
  /** @returns 0 to 1 */
  random: () => number;
}

/** A cluster, and the namespaces in which launches run there. */
export interface ProbedCluster {
  cluster: string;
  namespaces: readonly string[];
}

/** The result of a look. */
export interface Looked {
  state: ClusterState;
  /** Whether to look at the cluster again soon. */
  isInTrouble: boolean;
  /** The pause before the next look at a cluster in trouble. */
  pauseMs: number;
}

/**
 * The time between the beginnings of two looks after a failure that has not disconnected the cluster yet, and between two
 * requests of one look.
 */
const confirmMs = 500;
/** The pauses while a cluster is away: up to 1, 2, 4 and then 5 s, at least a fifth of that. */
const firstPauseMs = 1000;
export const longestPauseMs = 5000;

/**
 * Looks at a cluster once, and reports its state. For a connected cluster, one look is enough. A disconnected cluster
 * must prove, in each namespace, that the calls which launches need work.
 *
 * @param failedLooks how many looks in a row have failed before
 * @param isProofDue whether a connected cluster has to prove it, too
 * @throws TransientError StoreUnavailable
 */
export async function lookAtCluster(
  deps: LookDeps,
  probed: ProbedCluster,
  failedLooks: number,
  isProofDue: boolean,
): Promise<Looked> {
  const { cluster } = probed;
  const known = await deps.clusterStates.get(cluster);
  const isProof = isProofDue || connectedAt(known, deps.nowEpochMs()) !== true;
  const beganAtEpochMs = deps.nowEpochMs();
  const found = await ask(deps, probed, isProof);
  const endedAtEpochMs = deps.nowEpochMs();
  const isAway = known?.connected === false;
  const leftMs = Math.max(0, confirmMs - (endedAtEpochMs - beganAtEpochMs));
  const pauseMs = isAway ? pauseAfter(failedLooks, deps.random()) : leftMs;
  if ('error' in found) {
    const { reason, error } = found;
    const nextAttemptAtEpochMs = endedAtEpochMs + pauseMs;
    const times = { beganAtEpochMs, endedAtEpochMs, nextAttemptAtEpochMs };
    const state = await deps.clusterStates.report({ cluster, kind: 'failed', reason, error, ...times });
    return { state, isInTrouble: true, pauseMs };
  }
  const report: ClusterReport = isProof
    ? { cluster, kind: 'works', endedAtEpochMs, namespaces: probed.namespaces, ...found }
    : { cluster, kind: 'answered', endedAtEpochMs };
  // Does not write every look, one each 2 s. `afterReport` would decide the same, but has to read the record.
  const isNews = isProof || known?.failures !== undefined;
  const state = isNews || known === undefined ? await deps.clusterStates.report(report) : known;
  return { state, isInTrouble: state.connected !== true || state.failures !== undefined, pauseMs };
}

/** How long to wait before the next look at a cluster that is away: capped, with jitter. */
export function pauseAfter(failedLooks: number, random: number): number {
  const mostMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failedLooks, 10));
  return Math.round(mostMs / 5 + random * (mostMs - mostMs / 5));
}

type Found = { version?: string } | { reason: NonNullable<ReturnType<typeof reasonOf>>; error: string };

async function ask(deps: LookDeps, { cluster, namespaces }: ProbedCluster, isProof: boolean): Promise<Found> {
  return outcomeOf(async () => {
    const health = await deps.openHealth(cluster);
    if (isProof) return proveAll(health, namespaces);
    return untilAnswered(deps.sleep, () => outcomeOf(() => lookOnce(health, namespaces)));
  });
}

/**
 * Repeats a request each half second until one is answered. One lost request is no failure, and a server that is frozen
 * answers none. The look fails when its first request does: an earlier failure of a later one proves less.
 */
async function untilAnswered(sleep: LookDeps['sleep'], request: () => Promise<Found>): Promise<Found> {
  const first = request();
  const requests = [first];
  for (;;) {
    const answer = await Promise.race([...requests, sleep(confirmMs).then(() => undefined)]);
    if (answer !== undefined) return answer;
    requests.push(request().then((later) => ('error' in later ? first : later)));
  }
}

/** @throws what the call throws, if that shows nothing about the connection */
async function outcomeOf(call: () => Promise<Found>): Promise<Found> {
  try {
    return await call();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined || !(error instanceof Error)) throw error;
    return { reason, error: error.message };
  }
}

async function proveAll(health: ClusterHealth, namespaces: readonly string[]): Promise<{ version?: string }> {
  const proofs = await Promise.all(namespaces.map((namespace) => health.prove(namespace)));
  return proofs[0] ?? {};
}

/** One namespace is as good as another: they share the API server. */
async function lookOnce(health: ClusterHealth, [namespace]: readonly string[]): Promise<{ version?: string }> {
  if (namespace !== undefined) await health.look(namespace);
  return {};
}
