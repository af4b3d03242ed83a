import * as z from '../zod.ts';
import { EpochMs, isoTime } from './epoch-ms.ts';
import { shorten } from './well-formed.ts';

/** Why a cluster is disconnected, or seems to become so. */
export const ClusterReason = z.enum([
  /** The connection could not be made, or broke. */
  'Unreachable',
  'TimedOut',
  'TLSFailed',
  'Unauthorized',
  'Forbidden',
  'NamespaceMissing',
  'KubeconfigInvalid',
  /** davit cannot find the cluster's address or the credential for it: a secret, or EKS' answer. */
  'AccessMissing',
  'Throttled',
  'ServerFault',
  'AdmissionUnavailable',
]);
export type ClusterReason = z.infer<typeof ClusterReason>;

/** Whether the calls that launches need work in a cluster. `unknown`: davit has not looked, or not for a while. */
export const Connected = z.union([z.boolean(), z.literal('unknown')]);
export type Connected = z.infer<typeof Connected>;

const count = z.int().check(z.gte(0));

/** Reported failures in a row. */
export const FailureRow = z.object({
  count,
  /** When the first of them began. */
  sinceEpochMs: EpochMs,
  /** When the last of them ended. */
  lastEpochMs: EpochMs,
});

/** A moment at which a cluster's connection changed. */
export const ConnectionChange = z.object({
  connected: Connected,
  reason: z.optional(ClusterReason),
  error: z.optional(z.string()),
  atEpochMs: EpochMs,
});
export type ConnectionChange = z.infer<typeof ConnectionChange>;

/** A launch that may have left objects in a cluster that davit.yaml no longer has. */
export const LeftLaunch = z.object({ launchId: z.string(), namespace: z.string() });
export type LeftLaunch = z.infer<typeof LeftLaunch>;

/** davit's knowledge of its connection to a cluster: one record each. */
export const ClusterState = z.object({
  cluster: z.string().check(z.minLength(1)),
  connected: Connected,
  /** When `connected` got its value. For a disconnected cluster: when the first of the failures began. */
  sinceEpochMs: EpochMs,
  /** Present while calls fail. */
  reason: z.optional(ClusterReason),
  /** The words of the last failure, while calls fail. */
  error: z.optional(z.string()),
  failures: z.optional(FailureRow),
  nextAttemptAtEpochMs: z.optional(EpochMs),
  lastSuccessAtEpochMs: z.optional(EpochMs),
  /** The Kubernetes version that the API server last said. */
  version: z.optional(z.string()),
  /** Every namespace that a profile has named for this cluster, so that a sweep looks there when none does any more. */
  namespaces: z.optional(z.array(z.string())),
  /** A launch has begun here lately: until then, probes look as often as while launches are under way. */
  watchedUntilEpochMs: z.optional(EpochMs),
  /** The launches that were cleaned up while davit.yaml did not have this cluster, newest last. */
  left: z.optional(z.array(LeftLaunch)),
  /** The latest moment of a reported call; the report of an earlier call comes too late. */
  observedAtEpochMs: EpochMs,
  /** When the record was last written. */
  reportedAtEpochMs: EpochMs,
  /** The last changes, newest first. */
  history: z.array(ConnectionChange),
  /** Counts the writes. */
  revision: count,
  /** DynamoDB's TTL. */
  expiresAtEpochSeconds: z.int().check(z.positive()),
});
export type ClusterState = z.infer<typeof ClusterState>;

/** The result of one call to a cluster. */
export type ClusterReport = { cluster: string } & (
  | {
      kind: 'failed';
      reason: ClusterReason;
      error: string;
      /** The server has not answered since then. */
      beganAtEpochMs: number;
      endedAtEpochMs: number;
      /** How many failures it stands for. @default 1 */
      count?: number;
      /** When the reporter looks again, if it does. */
      nextAttemptAtEpochMs?: number;
    }
  /** The API server has answered a call. */
  | { kind: 'answered'; endedAtEpochMs: number }
  /** A create in dry-run, a list and a watch have succeeded. */
  | { kind: 'works'; endedAtEpochMs: number; version?: string | undefined; namespaces?: readonly string[] }
  /** davit.yaml does not have the cluster, so a clean-up could not look there. */
  | { kind: 'left'; launchId: string; namespace: string; atEpochMs: number }
  /** A launch begins here. */
  | { kind: 'launching'; atEpochMs: number }
);
/** The result of a call. */
type CallReport = Exclude<ClusterReport, { kind: 'left' | 'launching' }>;

/** How many failures in a row, and over how long, disconnect a cluster. A few failing calls must not do so. */
export const disconnectAfter = { failures: 3, ms: 5000 } as const;
/** Failures that are further apart are not in a row, because davit has not looked in between. */
const rowGapMs = 30_000;
/** How long probes watch a cluster after a launch has begun there, even if the launch is over sooner. */
export const watchedMs = 25_000;
/** How often davit writes an unchanged state. */
export const repeatMs = 10_000;
/** After this time without a report, the state is unknown. The probe looks at least once a minute. */
export const forgottenMs = 5 * 60_000;
const mostChanges = 20;
const mostErrorCharacters = 500;
const mostLeft = 100;
const retentionSeconds = 30 * 24 * 3600;

/** The reasons that an answer to any call disproves. The others may apply to one kind of call only. */
const refutedByAnswers: ReadonlySet<ClusterReason> = new Set([
  'Unreachable',
  'TimedOut',
  'TLSFailed',
  'Unauthorized',
  'Throttled',
  'ServerFault',
]);

/**
 * Adds the result of a call to the state of its cluster. A success counts from the moment of its answer, a failure from
 * the start of its call: a call that began before the last success proves nothing when it times out.
 *
 * @returns undefined when there is nothing to write: the report comes too late, repeats a recent one, or is in the state
 *   already because the answer to its write was lost
 */
export function afterReport(known: ClusterState | undefined, report: ClusterReport): ClusterState | undefined {
  switch (report.kind) {
    case 'left':
      return afterLeft(known, report);
    case 'launching':
      return afterLaunch(known, report);
    case 'failed':
    case 'answered':
    case 'works':
      return afterCall(known, report);
  }
}

function afterLaunch(
  known: ClusterState | undefined,
  { cluster, atEpochMs }: ClusterReport & { kind: 'launching' },
): ClusterState | undefined {
  const before = known ?? unknownState(cluster, atEpochMs);
  const watchedUntilEpochMs = atEpochMs + watchedMs;
  if (watchedUntilEpochMs <= (before.watchedUntilEpochMs ?? 0)) return undefined;
  return { ...before, watchedUntilEpochMs, revision: before.revision + 1 };
}

function afterLeft(
  known: ClusterState | undefined,
  { cluster, launchId, namespace, atEpochMs }: ClusterReport & { kind: 'left' },
): ClusterState | undefined {
  const before = known ?? unknownState(cluster, atEpochMs);
  const { left = [] } = before;
  if (left.some((launch) => launch.launchId === launchId)) return undefined;
  return {
    ...before,
    left: [...left, { launchId, namespace }].slice(-mostLeft),
    revision: before.revision + 1,
    expiresAtEpochSeconds: expiryAfter(atEpochMs),
  };
}

function afterCall(known: ClusterState | undefined, report: CallReport): ClusterState | undefined {
  const momentEpochMs = report.kind === 'failed' ? report.beganAtEpochMs : report.endedAtEpochMs;
  if (known !== undefined && (momentEpochMs < known.observedAtEpochMs || isKnown(known, report))) return undefined;
  const before = known ?? unknownState(report.cluster, momentEpochMs);
  const said = { ...before, observedAtEpochMs: momentEpochMs, reportedAtEpochMs: report.endedAtEpochMs };
  const next = report.kind === 'failed' ? failed(said, report) : succeeded(said, report);
  if (known !== undefined && !isNews(known, next)) return undefined;
  return {
    ...next,
    revision: before.revision + 1,
    expiresAtEpochSeconds: expiryAfter(report.endedAtEpochMs),
  };
}

function expiryAfter(epochMs: number): number {
  return Math.ceil(epochMs / 1000) + retentionSeconds;
}

/** A failure counts once, however often its report is written. */
function isKnown({ failures, observedAtEpochMs }: ClusterState, report: CallReport): boolean {
  const isLast = failures?.lastEpochMs === report.endedAtEpochMs;
  return report.kind === 'failed' && isLast && observedAtEpochMs === report.beganAtEpochMs;
}

/** Returns the state now: without a report for a while, it is unknown. */
export function connectedAt(state: ClusterState | undefined, nowEpochMs: number): Connected {
  if (state === undefined || nowEpochMs - state.reportedAtEpochMs > forgottenMs) return 'unknown';
  return state.connected;
}

function unknownState(cluster: string, atEpochMs: number): ClusterState {
  return {
    cluster,
    connected: 'unknown',
    sinceEpochMs: atEpochMs,
    observedAtEpochMs: atEpochMs,
    reportedAtEpochMs: atEpochMs,
    history: [],
    revision: 0,
    expiresAtEpochSeconds: expiryAfter(atEpochMs),
  };
}

function failed(before: ClusterState, report: ClusterReport & { kind: 'failed' }): ClusterState {
  const { nextAttemptAtEpochMs: planned, ...state } = before;
  const { reason, endedAtEpochMs } = report;
  // A launch's own call does not know when the probe looks again.
  const isAhead = planned !== undefined && planned > endedAtEpochMs;
  const nextAttemptAtEpochMs = report.nextAttemptAtEpochMs ?? (isAhead ? planned : undefined);
  const row = rowOf(before, report);
  const error = shorten(report.error, mostErrorCharacters);
  const failing = {
    ...state,
    reason,
    error,
    failures: row,
    ...(nextAttemptAtEpochMs === undefined ? {} : { nextAttemptAtEpochMs }),
  };
  const isEnough = row.count >= disconnectAfter.failures && endedAtEpochMs - row.sinceEpochMs >= disconnectAfter.ms;
  if (state.connected === false || !isEnough) return failing;
  return changed(failing, { connected: false, reason, error, atEpochMs: row.sinceEpochMs });
}

function rowOf(
  { connected, failures }: ClusterState,
  { beganAtEpochMs, endedAtEpochMs, count: more = 1 }: ClusterReport & { kind: 'failed' },
): z.infer<typeof FailureRow> {
  const goesOn = failures !== undefined && (connected === false || beganAtEpochMs - failures.lastEpochMs <= rowGapMs);
  return {
    count: goesOn ? failures.count + more : more,
    sinceEpochMs: goesOn ? failures.sinceEpochMs : beganAtEpochMs,
    lastEpochMs: endedAtEpochMs,
  };
}

function succeeded(before: ClusterState, report: ClusterReport & { kind: 'answered' | 'works' }): ClusterState {
  const { endedAtEpochMs: lastSuccessAtEpochMs } = report;
  const { reason, error: _error, failures: _failures, nextAttemptAtEpochMs: _next, ...well } = before;
  if (report.kind === 'answered') {
    const isRefuted = before.connected !== false && (reason === undefined || refutedByAnswers.has(reason));
    return { ...(isRefuted ? well : before), lastSuccessAtEpochMs };
  }
  const version = report.version ?? before.version;
  // davit probes only clusters of davit.yaml. So this cluster is in davit.yaml again, and the sweep finds the objects
  // there.
  const { left: _left, namespaces: known = [], ...rest } = well;
  const namespaces = [...new Set([...known, ...(report.namespaces ?? [])])];
  const works = {
    ...rest,
    lastSuccessAtEpochMs,
    ...(version === undefined ? {} : { version }),
    ...(namespaces.length === 0 ? {} : { namespaces }),
  };
  return before.connected === true ? works : changed(works, { connected: true, atEpochMs: lastSuccessAtEpochMs });
}

function changed(state: ClusterState, change: ConnectionChange): ClusterState {
  const history = [change, ...state.history].slice(0, mostChanges);
  return { ...state, connected: change.connected, sinceEpochMs: change.atEpochMs, history };
}

/** Each failure before the disconnection is news. After that, davit repeats a state at most every 10 s. */
function isNews(known: ClusterState, next: ClusterState): boolean {
  const isSame =
    known.connected === next.connected &&
    known.reason === next.reason &&
    known.version === next.version &&
    (known.failures === undefined) === (next.failures === undefined);
  const isBuilding = next.connected !== false && next.failures !== undefined && known.failures !== next.failures;
  return !isSame || isBuilding || next.reportedAtEpochMs - known.reportedAtEpochMs >= repeatMs;
}

/** Says why a cluster is away, for a person: `TimedOut since 2026-01-01T00:00:00.000Z after 3 attempts; next attempt at …`. */
export function describeAway({ reason, sinceEpochMs, failures, nextAttemptAtEpochMs }: ClusterState): string {
  const since = isoTime(failures?.sinceEpochMs ?? sinceEpochMs);
  // The probe and each waiting launch look at least once a minute.
  const next = nextAttemptAtEpochMs === undefined ? 'within a minute' : `at ${isoTime(nextAttemptAtEpochMs)}`;
  const attempts = failures === undefined ? '' : ` after ${failures.count} attempts`;
  return `${reason ?? 'Unreachable'} since ${since}${attempts}; next attempt ${next}`;
}
