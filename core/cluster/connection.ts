import { EpochMs, isoTime } from '../epoch-ms.ts';
import { shorten } from '../well-formed.ts';
import * as z from '../zod.ts';

/** Why a cluster or a namespace is disconnected, or seems to become so. */
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

/** Whether the calls that launches need work there. `unknown`: davit has not looked, or not for a while. */
export const Connected = z.union([z.boolean(), z.literal('unknown')]);
export type Connected = z.infer<typeof Connected>;

/** Reported failures in a row. */
export const FailureRow = z.object({
  count: z.int().check(z.gte(0)),
  /** When the first of them began. */
  sinceEpochMs: EpochMs,
  /** When the last of them ended. */
  lastEpochMs: EpochMs,
});

/** A moment at which a connection changed. */
export const ConnectionChange = z.object({
  connected: Connected,
  reason: z.optional(ClusterReason),
  error: z.optional(z.string()),
  atEpochMs: EpochMs,
});
export type ConnectionChange = z.infer<typeof ConnectionChange>;

/** davit's knowledge of whether its calls work, to a cluster's API server or in one of the cluster's namespaces. */
export const Connection = z.object({
  connected: Connected,
  /** When `connected` got its value. When disconnected: when the first of the failures began. */
  sinceEpochMs: EpochMs,
  /** Present while calls fail. */
  reason: z.optional(ClusterReason),
  /** The words of the last failure, while calls fail. */
  error: z.optional(z.string()),
  failures: z.optional(FailureRow),
  nextAttemptAtEpochMs: z.optional(EpochMs),
  lastSuccessAtEpochMs: z.optional(EpochMs),
  /** The latest moment of a reported call; the report of an earlier call comes too late. */
  observedAtEpochMs: EpochMs,
  /** When the last report was added. */
  reportedAtEpochMs: EpochMs,
  /** The last changes, newest first. */
  history: z.array(ConnectionChange),
});
export type Connection = z.infer<typeof Connection>;

/** A call that failed. */
export interface CallFailure {
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

/** The result of a call. `answered`: it proves less than a connection needs. `works`: it proves all of that. */
export type CallOutcome = CallFailure | { kind: 'answered' | 'works'; endedAtEpochMs: number };

/** How many failures in a row, and over how long, disconnect. A few failing calls must not do so. */
export const disconnectAfter = { failures: 3, ms: 5000 } as const;
/** Failures that are further apart are not in a row, because davit has not looked in between. */
const rowGapMs = 30_000;
/** How often davit writes an unchanged state. */
export const repeatMs = 10_000;
/** After this time without a report, the state is unknown. The probe looks at least once a minute. */
export const forgottenMs = 5 * 60_000;
const mostChanges = 20;
const mostErrorCharacters = 500;

/** The reasons that no answer disproves: another process may still have the credential. */
const keptByAnswers: ReadonlySet<ClusterReason> = new Set(['KubeconfigInvalid', 'AccessMissing']);

/** A connection about which nothing is known yet. */
export function unknownConnection(atEpochMs: number): Connection {
  return {
    connected: 'unknown',
    sinceEpochMs: atEpochMs,
    observedAtEpochMs: atEpochMs,
    reportedAtEpochMs: atEpochMs,
    history: [],
  };
}

/** When a call showed what it shows: a success when it was answered, a failure when it began. */
export function momentOf(outcome: CallOutcome): number {
  return outcome.kind === 'failed' ? outcome.beganAtEpochMs : outcome.endedAtEpochMs;
}

/**
 * Adds the result of a call to what is known. A call that began before the last success proves nothing when it times out.
 *
 * @returns undefined when there is nothing to write: the result comes too late, repeats a recent one, or is known
 *   already because the answer to its write was lost
 */
export function afterOutcome<Known extends Connection>(known: Known, outcome: CallOutcome): Known | undefined {
  const observedAtEpochMs = momentOf(outcome);
  if (observedAtEpochMs < known.observedAtEpochMs || isKnown(known, outcome)) return undefined;
  const said = { ...known, observedAtEpochMs, reportedAtEpochMs: outcome.endedAtEpochMs };
  const next = outcome.kind === 'failed' ? failed(said, outcome) : succeeded(said, outcome);
  return isNews(known, next) ? next : undefined;
}

/** A failure counts once, however often its report is written. */
function isKnown({ failures, observedAtEpochMs }: Connection, outcome: CallOutcome): boolean {
  const isLast = failures?.lastEpochMs === outcome.endedAtEpochMs;
  return outcome.kind === 'failed' && isLast && observedAtEpochMs === outcome.beganAtEpochMs;
}

/** Returns the state now: without a report for a while, it is unknown. */
export function connectedAt(
  known: Pick<Connection, 'connected' | 'reportedAtEpochMs'> | undefined,
  nowEpochMs: number,
): Connected {
  if (known === undefined || nowEpochMs - known.reportedAtEpochMs > forgottenMs) return 'unknown';
  return known.connected;
}

function failed<Known extends Connection>(before: Known, failure: CallFailure): Known {
  const { endedAtEpochMs, reason } = failure;
  const failures = rowOf(before, failure);
  const error = shorten(failure.error, mostErrorCharacters);
  const failing = { ...before, reason, error, failures };
  const planned = before.nextAttemptAtEpochMs ?? 0;
  // A launch's own call does not know when the probe looks again.
  const next = failure.nextAttemptAtEpochMs ?? (planned > endedAtEpochMs ? planned : undefined);
  if (next === undefined) delete failing.nextAttemptAtEpochMs;
  else failing.nextAttemptAtEpochMs = next;
  const isEnough =
    failures.count >= disconnectAfter.failures && endedAtEpochMs - failures.sinceEpochMs >= disconnectAfter.ms;
  if (before.connected === false || !isEnough) return failing;
  return changed(failing, { connected: false, reason, error, atEpochMs: failures.sinceEpochMs });
}

function rowOf(
  { connected, failures }: Connection,
  { beganAtEpochMs, endedAtEpochMs, count: more = 1 }: CallFailure,
): z.infer<typeof FailureRow> {
  const goesOn = failures !== undefined && (connected === false || beganAtEpochMs - failures.lastEpochMs <= rowGapMs);
  return {
    count: goesOn ? failures.count + more : more,
    sinceEpochMs: goesOn ? failures.sinceEpochMs : beganAtEpochMs,
    lastEpochMs: endedAtEpochMs,
  };
}

function succeeded<Known extends Connection>(
  before: Known,
  { kind, endedAtEpochMs: lastSuccessAtEpochMs }: Exclude<CallOutcome, CallFailure>,
): Known {
  const { connected, reason } = before;
  const after = { ...before, lastSuccessAtEpochMs };
  const isKept = connected === false || (reason !== undefined && keptByAnswers.has(reason));
  if (kind === 'answered' && isKept) return after;
  delete after.reason;
  delete after.error;
  delete after.failures;
  delete after.nextAttemptAtEpochMs;
  if (kind === 'answered' || connected === true) return after;
  return changed(after, { connected: true, atEpochMs: lastSuccessAtEpochMs });
}

function changed<Known extends Connection>(known: Known, change: ConnectionChange): Known {
  const history = [change, ...known.history].slice(0, mostChanges);
  return { ...known, connected: change.connected, sinceEpochMs: change.atEpochMs, history };
}

/** Each failure before the disconnection is news. After that, davit repeats a state at most every 10 s. */
function isNews(known: Connection, next: Connection): boolean {
  const isSame =
    known.connected === next.connected &&
    known.reason === next.reason &&
    (known.failures === undefined) === (next.failures === undefined) &&
    (known.lastSuccessAtEpochMs === undefined) === (next.lastSuccessAtEpochMs === undefined);
  const isBuilding = next.connected !== false && next.failures !== undefined && known.failures !== next.failures;
  return !isSame || isBuilding || next.reportedAtEpochMs - known.reportedAtEpochMs >= repeatMs;
}

/** Says why calls fail, for a person: `TimedOut since 2026-01-01T00:00:00.000Z after 3 attempts; next attempt at …`. */
export function describeAway({ reason, sinceEpochMs, failures, nextAttemptAtEpochMs }: Connection): string {
  const since = isoTime(failures?.sinceEpochMs ?? sinceEpochMs);
  // The probe and each waiting launch look at least once a minute.
  const next = nextAttemptAtEpochMs === undefined ? 'within a minute' : `at ${isoTime(nextAttemptAtEpochMs)}`;
  const attempts = failures === undefined ? '' : ` after ${failures.count} attempts`;
  return `${reason ?? 'Unreachable'} since ${since}${attempts}; next attempt ${next}`;
}
