import { agentExited, isLive, type LaunchRecord } from '../launch/launch-record.ts';

/** How long a pool gets no warm agent after one has ended without a job; twice as long after each further one. */
const firstPauseMs = 300_000;
const longestPauseMs = 3_600_000;

/** Warm agents of a pool that have ended without a job, and until when it gets no other one. */
export interface WarmPause {
  /** How many there were since the last one that ran a job. */
  failures: number;
  /** The latest of them. */
  last: LaunchRecord;
  failedAtEpochMs: number;
  untilEpochMs: number;
  /** Whether an agent was requested after the pause and has not proved itself yet: the pool gets no other one. */
  isTried: boolean;
}

/**
 * Says how long a pool gets no warm agent: five minutes after one has failed to come up or has exited without a job, and
 * twice as long after each further one, up to an hour. After the pause, one agent is tried at a time. One that runs a job,
 * or lives for five minutes, ends the count. One that davit retired, or that a person ended, is no failure. Without the
 * pause, agents that exit at once are replaced in each round.
 *
 * @param latest the latest ten warm launches of the pool, oldest first
 * @returns undefined when none of them has failed
 */
export function warmPauseOf(latest: readonly LaunchRecord[], nowEpochMs: number): WarmPause | undefined {
  const isYoung = ({ requestedAtEpochMs }: LaunchRecord) => nowEpochMs - requestedAtEpochMs < firstPauseMs;
  const hasProved = (record: LaunchRecord) => record.runs !== undefined || (isLive(record) && !isYoung(record));
  const since = latest.slice(latest.findLastIndex(hasProved) + 1);
  const failed = since
    .flatMap((record) => (hasFailed(record) ? [{ record, atEpochMs: record.ending?.atEpochMs ?? 0 }] : []))
    .toSorted((one, other) => one.atEpochMs - other.atEpochMs);
  const last = failed.at(-1);
  if (last === undefined) return undefined;
  // Agents that fail together are one failure: a missing image fails all agents of a pool at once.
  const failures = failed.filter(
    ({ atEpochMs }, index) => index === 0 || atEpochMs - (failed[index - 1]?.atEpochMs ?? 0) >= firstPauseMs,
  ).length;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
  const isTried = since.some((record) => isLive(record) && record.requestedAtEpochMs > last.atEpochMs);
  const untilEpochMs = last.atEpochMs + pauseMs;
  return { failures, last: last.record, failedAtEpochMs: last.atEpochMs, untilEpochMs, isTried };
}

/** How long a summoned agent must have been registered for its end to be no failure: its CI system took its idle runner. */
const provedMs = 120_000;

function hasFailed(record: LaunchRecord): boolean {
  const { ending, retiring, runs, standby, registration } = record;
  if (ending === undefined || isLive(record) || retiring !== undefined || runs !== undefined) return false;
  const registeredMs = ending.atEpochMs - (registration?.begunAtEpochMs ?? ending.atEpochMs);
  if (standby?.summons !== undefined && registeredMs >= provedMs) return false;
  return ending.outcome === 'failed' || ending.by === agentExited;
}
