import { type ClusterState, type NamespaceOutcome, namespaceStateOf } from '../../core/cluster/cluster-state.ts';
import { type ClusterReason, connectedAt } from '../../core/cluster/connection.ts';
import { DavitError } from '../../core/errors/errors.ts';
import { isOfNamespace, reasonOf } from '../../logic/cluster-reports/reason-of.ts';
import type { ClusterHealth, OpenClusterHealth } from '../../ports/cluster.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';

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

interface Looked {
  state: ClusterState;
  /** Whether to look at the cluster again soon. */
  isInTrouble: boolean;
  /** The pause before the next look at a cluster in trouble. */
  pauseMs: number;
}

/**
 * The time between the beginnings of two looks after a failure that has not disconnected anything yet, and between two
 * requests of one look.
 */
const confirmMs = 500;
/** The pause between two looks at a healthy cluster with launches. */
export const busyMs = 2000;
/** The pauses while a cluster is away: up to 1, 2, 4 and then 5 s, at least a fifth of that. */
const firstPauseMs = 1000;
export const longestPauseMs = 5000;

/**
 * Looks at a cluster once, and reports its state. For a connected cluster, one request is enough. Every namespace of a
 * cluster that is not connected must prove that launches work in it, and so must a namespace that is not connected. A
 * failure belongs to what was proved: to the cluster if it answered nothing, otherwise to the namespace.
 *
 * @param failedLooks how many looks in a row have failed before
 * @param isProofDue whether connected namespaces have to prove it, too
 * @throws TransientError StoreUnavailable
 */
export async function lookAtCluster(
  deps: LookDeps,
  { cluster, namespaces }: ProbedCluster,
  failedLooks: number,
  isProofDue: boolean,
): Promise<Looked> {
  const known = await deps.clusterStates.get(cluster);
  const beganAtEpochMs = deps.nowEpochMs();
  const isProof = isProofDue || connectedAt(known, beganAtEpochMs) !== true;
  const unproved = isProof ? namespaces : namespaces.filter((each) => isTroubled(known, each, beganAtEpochMs));
  const found = await ask(deps, { cluster, namespaces }, unproved);
  const endedAtEpochMs = deps.nowEpochMs();
  const awayMs = pauseAfter(failedLooks, deps.random());
  const leftMs = Math.max(0, confirmMs - (endedAtEpochMs - beganAtEpochMs));
  const pauseMs = isToConfirm(known, namespaces, found)
    ? leftMs
    : Math.min(awayMs, known?.connected === false ? longestPauseMs : busyMs);
  const nextAttemptAtEpochMs = endedAtEpochMs + pauseMs;
  const failedAt = { kind: 'failed', beganAtEpochMs, endedAtEpochMs, nextAttemptAtEpochMs } as const;
  if ('reason' in found) {
    const state = await deps.clusterStates.report({ cluster, ...failedAt, ...found });
    return { state, isInTrouble: true, pauseMs };
  }
  const outcomes = found.proofs.flatMap(({ namespace, failure, isProved }): NamespaceOutcome[] => {
    if (failure !== undefined) return [{ namespace, ...failedAt, ...failure }];
    return isProved ? [{ namespace, kind: 'works', endedAtEpochMs }] : [];
  });
  const works = { kind: 'works', version: found.version, namespaces: outcomes } as const;
  const report = { cluster, endedAtEpochMs, ...(unproved.length === 0 ? { kind: 'answered' as const } : works) };
  // Does not write every look, one each 2 s. `afterReport` would decide the same, but has to read the record.
  const isNews = unproved.length > 0 || known?.failures !== undefined;
  const state = isNews || known === undefined ? await deps.clusterStates.report(report) : known;
  const isInTrouble =
    state.connected !== true ||
    state.failures !== undefined ||
    namespaces.some((each) => isTroubled(state, each, endedAtEpochMs));
  return { state, isInTrouble, pauseMs };
}

/**
 * Says whether the next look has to show if a failure lasts. A cluster that freezes while one of its namespaces is away
 * is found as soon as any other.
 */
function isToConfirm(
  known: ClusterState | undefined,
  namespaces: readonly string[],
  found: Answered | Failure,
): boolean {
  if (known?.connected === false) return false;
  if ('reason' in found) return true;
  const isOneAway = namespaces.some((each) => namespaceStateOf(known, each)?.connected === false);
  return !isOneAway && found.proofs.some(({ failure }) => failure !== undefined);
}

/** A namespace is in trouble, too, as long as it has proved nothing. */
function isTroubled(state: ClusterState | undefined, namespace: string, nowEpochMs: number): boolean {
  const known = namespaceStateOf(state, namespace);
  return known?.failures !== undefined || connectedAt(known, nowEpochMs) !== true;
}

/** How long to wait before the next look at a cluster that is away: capped, with jitter. */
export function pauseAfter(failedLooks: number, random: number): number {
  const mostMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failedLooks, 10));
  return Math.round(mostMs / 5 + random * (mostMs - mostMs / 5));
}

interface Failure {
  reason: ClusterReason;
  error: string;
}

/** The result of one namespace's proof. An answer about the call alone, such as a conflict, is neither. */
interface Proof {
  namespace: string;
  version?: string | undefined;
  failure?: Failure;
  isProved: boolean;
  isAnswered: boolean;
}

/** The API server's version, and what the namespaces have proved. */
interface Answered {
  version: string | undefined;
  proofs: readonly Proof[];
}

async function ask(
  deps: LookDeps,
  { cluster, namespaces }: ProbedCluster,
  unproved: readonly string[],
): Promise<Answered | Failure> {
  const opened = await openedBy(deps, cluster);
  if ('reason' in opened) return opened;
  // One namespace is as good as another: they share the API server.
  const looked = unproved.length > 0 ? unproved : namespaces.slice(0, 1);
  const proofs = await Promise.all(
    looked.map((namespace) => prove(deps.sleep, opened, namespace, unproved.length > 0)),
  );
  const [failed] = proofs.flatMap(({ failure }) => failure ?? []);
  if (failed !== undefined && !proofs.some(({ isAnswered }) => isAnswered)) return failed;
  return { version: proofs.find(({ version }) => version !== undefined)?.version, proofs };
}

async function openedBy({ openHealth }: LookDeps, cluster: string): Promise<ClusterHealth | Failure> {
  try {
    return await openHealth(cluster);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined || !(error instanceof DavitError)) throw error;
    return { reason, error: error.message };
  }
}

async function prove(
  sleep: LookDeps['sleep'],
  health: ClusterHealth,
  namespace: string,
  isWhole: boolean,
): Promise<Proof> {
  const looked = await untilAnswered(sleep, () => outcomeOf(() => health.look(namespace)));
  if ('reason' in looked) {
    return { namespace, failure: looked, isProved: false, isAnswered: isOfNamespace(looked.reason) };
  }
  if (!isWhole || !('value' in looked)) return { namespace, isProved: false, isAnswered: true };
  const proved = await untilAnswered(sleep, () => outcomeOf(() => health.prove(namespace, looked.value)));
  if ('reason' in proved) return { namespace, failure: proved, isProved: false, isAnswered: true };
  if (!('value' in proved)) return { namespace, isProved: false, isAnswered: true };
  return { namespace, isProved: true, isAnswered: true, version: proved.value.version };
}

/** `isUndecided`: the answer shows nothing about the connection. */
type Outcome<Value> = { value: Value } | { isUndecided: true } | Failure;

/**
 * Repeats a request each half second until one is answered. One lost request is no failure, and a server that is frozen
 * answers none. The look fails when its first request does: an earlier failure of a later one proves less.
 */
async function untilAnswered<Value>(
  sleep: LookDeps['sleep'],
  request: () => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  const { promise: answered, resolve, reject } = Promise.withResolvers<Outcome<Value>>();
  const first = request();
  first.then(resolve, reject);
  for (;;) {
    const answer = await Promise.race([answered, sleep(confirmMs).then(() => undefined)]);
    if (answer !== undefined) return answer;
    request().then((later) => resolve('reason' in later ? first : later), reject);
  }
}

async function outcomeOf<Value>(call: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await call() };
  } catch (error) {
    if (!(error instanceof DavitError)) throw error;
    const reason = reasonOf(error);
    return reason === undefined ? { isUndecided: true } : { reason, error: error.message };
  }
}
