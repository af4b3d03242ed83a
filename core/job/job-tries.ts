import { isoTime } from '../epoch-ms.ts';
import { agentExited, type LaunchRecord } from '../launch/launch-record.ts';
import { ciLaunchId, type LaunchId } from '../launch/names.ts';
import type { JobRecord } from './job-record.ts';

/** How long a job waits for its next launch after its first, second, third and fourth failed one, in seconds. */
const waitsSeconds = [60, 300, 900, 900] as const;

/**
 * How many failed launches leave a job without tries: from then on davit tries again each 15 minutes. Only the latest so
 * many launches of a job count.
 */
export const mostFailures = waitsSeconds.length;

/** How long a failed launch counts, in milliseconds. */
const countsForMs = 3_600_000;

/** An agent that exits so soon after it has connected, in milliseconds, has failed: davit sees an exit within a minute. */
const soonMs = 120_000;

/** A job's failed launches, as far as they still count. */
export interface Tries {
  /** From 0 to `mostFailures`. */
  failures: number;
  /** The latest of the failed launches. */
  latest?: LaunchRecord;
  /** When the next launch may be requested. */
  mayAtEpochMs: number;
}

/** Names the latest launches of a job, which its tries depend on. */
export function latestLaunchesOf(job: JobRecord): LaunchId[] {
  const { launches } = job;
  const first = Math.max(0, launches - mostFailures);
  return Array.from({ length: launches - first }, (_, index) => ciLaunchId(job, first + index));
}

/** Counts the failed ones of a job's latest launches. */
export function triesOf(latestLaunches: readonly LaunchRecord[], nowEpochMs: number): Tries {
  const failed = latestLaunches
    .flatMap((launch) => (isFailure(launch) ? [{ launch, atEpochMs: launch.ending?.atEpochMs ?? 0 }] : []))
    .filter(({ atEpochMs }) => nowEpochMs - atEpochMs < countsForMs)
    .toSorted((one, other) => one.atEpochMs - other.atEpochMs);
  const latest = failed.at(-1);
  if (latest === undefined) return { failures: 0, mayAtEpochMs: nowEpochMs };
  const waitSeconds = waitsSeconds[failed.length - 1] ?? 0;
  return { failures: failed.length, latest: latest.launch, mayAtEpochMs: latest.atEpochMs + waitSeconds * 1000 };
}

/**
 * Says whether a launch came to nothing by itself. An agent that ran another job, that was retired, or that a person
 * ended is no failure of its job.
 */
function isFailure({ ending, runs, connectedAtEpochMs = -Infinity }: LaunchRecord): boolean {
  if (ending === undefined || runs !== undefined) return false;
  if (ending.outcome === 'failed') return ending.code !== 'AgentLifetimeExceeded';
  return ending.by === agentExited && ending.atEpochMs - connectedAtEpochMs <= soonMs;
}

/** Says for people why a job has no agent now. */
export function triesWords({ failures, latest, mayAtEpochMs }: Tries): string {
  const { launchId = '', ending } = latest ?? {};
  const message = ending?.message ?? '';
  return failures < mostFailures
    ? `its launch ${launchId} failed: ${message}; davit requests the next one at ${isoTime(mayAtEpochMs)}`
    : `its last ${failures} launches failed, the latest: ${message}; davit tries again at ${isoTime(mayAtEpochMs)}, each 15 minutes`;
}
