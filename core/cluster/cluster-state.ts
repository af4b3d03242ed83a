import { EpochMs } from '../epoch-ms.ts';
import * as z from '../zod.ts';
import { afterOutcome, type CallFailure, Connection, connectedAt, momentOf, unknownConnection } from './connection.ts';

/** A launch that may have left objects in a cluster that davit.yaml no longer has. */
export const LeftLaunch = z.object({ launchId: z.string(), namespace: z.string() });
export type LeftLaunch = z.infer<typeof LeftLaunch>;

/** davit's knowledge of whether launches can be made in a namespace of a cluster that answers. */
export const NamespaceState = z.extend(Connection, { namespace: z.string().check(z.minLength(1)) });
export type NamespaceState = z.infer<typeof NamespaceState>;

/** davit's knowledge of its connection to a cluster and of the cluster's namespaces: one record for each cluster. */
export const ClusterState = z.extend(Connection, {
  cluster: z.string().check(z.minLength(1)),
  /** The Kubernetes version that the API server last said. */
  version: z.optional(z.string()),
  /**
   * Every namespace that a profile has named for this cluster, so that a sweep looks there when none does any more. Each
   * has a state of its own: a failure belongs to what was proved.
   */
  namespaces: z.optional(z.array(NamespaceState)),
  /** A launch has begun here lately: until then, probes look as often as while launches are under way. */
  watchedUntilEpochMs: z.optional(EpochMs),
  /** The launches that were cleaned up while davit.yaml did not have this cluster, newest last. */
  left: z.optional(z.array(LeftLaunch)),
  /** DynamoDB's TTL. */
  expiresAtEpochSeconds: z.int().check(z.positive()),
});
export type ClusterState = z.infer<typeof ClusterState>;

/** The result of a proof in a namespace: a create in dry-run and a watch. */
export type NamespaceOutcome = { namespace: string } & (CallFailure | { kind: 'works'; endedAtEpochMs: number });

/** A result that belongs to a whole cluster. */
type CallReport =
  | CallFailure
  /** The API server has answered a call. */
  | { kind: 'answered'; endedAtEpochMs: number }
  /** The API server has answered a probe, which has also tried what launches need in these namespaces. */
  | { kind: 'works'; endedAtEpochMs: number; version?: string | undefined; namespaces?: readonly NamespaceOutcome[] };

/** The result of one call to a cluster. */
export type ClusterReport = { cluster: string } & (
  | CallReport
  /** A launch's own create has failed by what belongs to its namespace. */
  | { kind: 'namespace'; outcome: NamespaceOutcome }
  /** davit.yaml does not have the cluster, so a clean-up could not look there. */
  | { kind: 'left'; launchId: string; namespace: string; atEpochMs: number }
  /** A launch begins here. */
  | { kind: 'launching'; atEpochMs: number }
);

/** How long probes watch a cluster after a launch has begun there, even if the launch is over sooner. */
export const watchedMs = 25_000;
/** A namespace's changes that are kept: DynamoDB's item of 400 KB has room for a hundred namespaces in trouble. */
const mostNamespaceChanges = 5;
const mostLeft = 100;
const retentionSeconds = 30 * 24 * 3600;

/**
 * Adds a report to the state of its cluster, or to that of one of its namespaces.
 *
 * @returns undefined when there is nothing to write: the report comes too late, repeats a recent one, or is in the state
 *   already because the answer to its write was lost
 */
export function afterReport(known: ClusterState | undefined, report: ClusterReport): ClusterState | undefined {
  const { cluster } = report;
  switch (report.kind) {
    case 'left':
      return afterLeft(known ?? unknownState(cluster, report.atEpochMs), report);
    case 'launching':
      return afterLaunch(known ?? unknownState(cluster, report.atEpochMs), report);
    case 'namespace':
      return afterCreate(known ?? unknownState(cluster, momentOf(report.outcome)), report.outcome);
    case 'failed':
    case 'answered':
    case 'works':
      return afterCall(known ?? unknownState(cluster, momentOf(report)), report);
  }
}

function afterLaunch(
  before: ClusterState,
  { atEpochMs }: ClusterReport & { kind: 'launching' },
): ClusterState | undefined {
  const watchedUntilEpochMs = atEpochMs + watchedMs;
  if (watchedUntilEpochMs <= (before.watchedUntilEpochMs ?? 0)) return undefined;
  return { ...before, watchedUntilEpochMs };
}

function afterLeft(
  before: ClusterState,
  { launchId, namespace, atEpochMs }: ClusterReport & { kind: 'left' },
): ClusterState | undefined {
  const { left = [] } = before;
  if (left.some((launch) => launch.launchId === launchId)) return undefined;
  return keptOn({ ...before, left: [...left, { launchId, namespace }].slice(-mostLeft) }, atEpochMs);
}

function afterCreate(before: ClusterState, outcome: NamespaceOutcome): ClusterState | undefined {
  const next = withNamespaces(before, [outcome]);
  return next === before ? undefined : keptOn(next, outcome.endedAtEpochMs);
}

function afterCall(before: ClusterState, report: CallReport): ClusterState | undefined {
  const called = afterOutcome(before, report) ?? before;
  const next = report.kind === 'works' ? afterProbe(called, report) : called;
  return next === before ? undefined : keptOn(next, report.endedAtEpochMs);
}

/** Probes look only at clusters of davit.yaml. So the cluster is there again, and the sweep finds what was left. */
function afterProbe(
  before: ClusterState,
  { endedAtEpochMs, version, namespaces = [] }: CallReport & { kind: 'works' },
): ClusterState {
  const next = withNamespaces(before, namespaces);
  if (endedAtEpochMs < before.observedAtEpochMs) return next;
  const isNewVersion = version !== undefined && version !== next.version;
  if (!isNewVersion && next.left === undefined) return next;
  const { left: _left, ...others } = next;
  return { ...others, ...(isNewVersion ? { version } : {}) };
}

/** @returns the state itself when no outcome is news */
function withNamespaces(before: ClusterState, outcomes: readonly NamespaceOutcome[]): ClusterState {
  const states = new Map((before.namespaces ?? []).map((state) => [state.namespace, state]));
  const news = outcomes.flatMap(({ namespace, ...outcome }) => {
    const known = states.get(namespace) ?? { namespace, ...unknownConnection(momentOf(outcome)) };
    const next = afterOutcome(known, outcome);
    return next === undefined ? [] : [{ ...next, history: next.history.slice(0, mostNamespaceChanges) }];
  });
  for (const state of news) states.set(state.namespace, state);
  return news.length === 0 ? before : { ...before, namespaces: [...states.values()] };
}

function keptOn(next: ClusterState, atEpochMs: number): ClusterState {
  return { ...next, expiresAtEpochSeconds: expiryAfter(atEpochMs) };
}

function expiryAfter(epochMs: number): number {
  return Math.ceil(epochMs / 1000) + retentionSeconds;
}

function unknownState(cluster: string, atEpochMs: number): ClusterState {
  return { cluster, ...unknownConnection(atEpochMs), expiresAtEpochSeconds: expiryAfter(atEpochMs) };
}

/** Finds what is known of a namespace. */
export function namespaceStateOf(state: ClusterState | undefined, namespace: string): NamespaceState | undefined {
  return state?.namespaces?.find((each) => each.namespace === namespace);
}

/** What keeps launches from a namespace. */
export interface Away {
  /** For a person: `cluster eu-1`, `namespace agents of cluster eu-1`. */
  what: string;
  connection: Connection;
}

/**
 * Says whether launches in a namespace of a cluster are known not to work: because the cluster is disconnected, or
 * because that namespace is.
 *
 * @returns undefined while they may work
 */
export function awayAt(state: ClusterState | undefined, namespace: string, nowEpochMs: number): Away | undefined {
  if (state === undefined) return undefined;
  if (connectedAt(state, nowEpochMs) === false) return { what: `cluster ${state.cluster}`, connection: state };
  const connection = namespaceStateOf(state, namespace);
  if (connection === undefined || connectedAt(connection, nowEpochMs) !== false) return undefined;
  return { what: `namespace ${namespace} of cluster ${state.cluster}`, connection };
}
