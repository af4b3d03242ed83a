import { isLive, type LaunchRecord } from './launch-record.ts';

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
}

/**
 * Says how long a pool gets no warm agent: five minutes after one has failed to come up or has exited without a job, and
 * twice as long after each further one, up to an hour. An agent that ran a job ends the count. One that davit retired, or
 * that a person ended, is no failure. Without the pause, an agent that exits at once is replaced in each round.
 *
 * @param latest the latest warm launches of the pool, oldest first
 * @returns undefined when none of them has failed
 */
export function warmPauseOf(latest: readonly LaunchRecord[]): WarmPause | undefined {
  const sinceJob = latest.slice(latest.findLastIndex(({ runs }) => runs !== undefined) + 1);
  const failed = sinceJob
    .flatMap((record) => (hasFailed(record) ? [{ record, atEpochMs: record.ending?.atEpochMs ?? 0 }] : []))
    .toSorted((one, other) => one.atEpochMs - other.atEpochMs);
  const last = failed.at(-1);
  if (last === undefined) return undefined;
  // Agents that fail together are one failure: a missing image fails all agents of a pool at once.
  const failures = failed.filter(
    ({ atEpochMs }, index) => index === 0 || atEpochMs - (failed[index - 1]?.atEpochMs ?? 0) >= firstPauseMs,
  ).length;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
  return { failures, last: last.record, failedAtEpochMs: last.atEpochMs, untilEpochMs: last.atEpochMs + pauseMs };
}

function hasFailed(record: LaunchRecord): boolean {
  const { ending, retiring, runs } = record;
  if (ending === undefined || isLive(record) || retiring !== undefined || runs !== undefined) return false;
  return ending.outcome === 'failed' || ending.actor?.name === 'sweep/AgentExited';
}
