import { jobKeyOf } from '../domain/job-record.ts';
import type { LaunchRecord } from '../domain/launch-record.ts';
import type { LaunchId } from '../domain/names.ts';
import { isSupply } from './pool-view.ts';
import type { CiSight } from './read-ci.ts';

/** How long a retiring launch is left to the function that retires it, in milliseconds. */
const retiringMs = 120_000;

/** How long an agent must have run its job before davit believes that the job is over, in milliseconds: lists lag behind. */
const finishedMs = 180_000;

/** A launch to retire, and why. */
export interface PlannedRetirement {
  launch: LaunchRecord;
  kind: 'surplus' | 'idle' | 'unfinished' | 'finished';
  reason: string;
}

/**
 * Chooses which agents of a pool to retire when there are more agents than jobs: connected ones first, the newest of
 * them first; then launching ones, the newest first. A newer agent has more of its lifetime left.
 */
export function planSurplus(idle: readonly LaunchRecord[], count: number): PlannedRetirement[] {
  return idle
    .toSorted((one, other) => rank(one) - rank(other) || other.requestedAtEpochMs - one.requestedAtEpochMs)
    .slice(0, count)
    .map((launch) => ({ launch, kind: 'surplus', reason: 'no queued job waits for its agent' }));
}

function rank({ status }: LaunchRecord): number {
  return status === 'connected' ? 0 : 1;
}

/**
 * Finds the live launches whose agent has been idle for too long, or whose retirement is unfinished.
 *
 * @param kept launches whose agent may be idle for longer, because it is warm
 */
export function planOverdue(
  launches: readonly LaunchRecord[],
  kept: ReadonlySet<LaunchId>,
  nowEpochMs: number,
): PlannedRetirement[] {
  return launches.flatMap((launch): PlannedRetirement[] => {
    const { runs, retiring, status, connectedAtEpochMs, plan } = launch;
    if (runs !== undefined) return [];
    if (retiring !== undefined) {
      const isOverdue = nowEpochMs - retiring.sinceEpochMs >= retiringMs;
      return isOverdue ? [{ launch, kind: 'unfinished', reason: retiring.reason }] : [];
    }
    const { idleSeconds } = plan?.join ?? {};
    if (kept.has(launch.launchId)) return [];
    if (status !== 'connected' || connectedAtEpochMs === undefined || idleSeconds === undefined) return [];
    if (nowEpochMs - connectedAtEpochMs < idleSeconds * 1000) return [];
    return [{ launch, kind: 'idle', reason: `its agent has run nothing for ${idleSeconds} s` }];
  });
}

/**
 * Finds the live launches whose agent ran a job that is over without an event: the CI system lists neither the job nor
 * the runner, because it forgets a runner after its one job. The agent's process may hang for ever.
 */
export function planFinished(
  launches: readonly LaunchRecord[],
  { jobs, runners }: Pick<CiSight, 'jobs' | 'runners'>,
  nowEpochMs: number,
): PlannedRetirement[] {
  const jobKeys = new Set(jobs.map(jobKeyOf));
  const runnerIds = new Set(runners.map(({ runner }) => runner.id));
  return launches.flatMap((launch): PlannedRetirement[] => {
    const { runs, runner, status } = launch;
    if (status !== 'connected' || runs === undefined || runner === undefined) return [];
    if (jobKeys.has(runs.jobKey) || runnerIds.has(runner.id)) return [];
    if (nowEpochMs - runs.sinceEpochMs < finishedMs) return [];
    return [
      { launch, kind: 'finished', reason: 'its job is over: its CI system knows neither job nor runner any more' },
    ];
  });
}

/** Says whether a launch to retire is still as it was judged. */
export function isStillRetirable(now: LaunchRecord, { kind, launch }: PlannedRetirement): boolean {
  if (kind === 'finished') return now.runs?.jobKey === launch.runs?.jobKey;
  return kind === 'unfinished' ? now.runs === undefined : isSupply(now);
}
