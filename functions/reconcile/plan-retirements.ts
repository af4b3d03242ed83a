import { isStandingBy, type LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import { idleSinceEpochMs, isSupply, isUnheard } from './pool-view.ts';

/** How long a retiring launch is left to the function that retires it, in milliseconds. */
const retiringMs = 120_000;

/** How long an agent must have run its job before davit ends it without an event, in milliseconds: events are late. */
const finishedMs = 180_000;

/** A launch to retire, and why. */
export interface PlannedRetirement {
  launch: LaunchRecord;
  kind: 'surplus' | 'idle' | 'unfinished' | 'finished';
  reason: string;
}

/**
 * Chooses which agents of a pool to retire when there are more agents than jobs: registered ones first, because some CI systems
 * remove those soon; then those that stand by; then launching ones. Of each kind the newest first: it has more of its lifetime
 * left. Where agents stand by, as many registered ones come last as there are queued jobs, which are about to get them.
 *
 * @param queued how many jobs of the pool are queued
 */
export function planSurplus(idle: readonly LaunchRecord[], count: number, queued: number): PlannedRetirement[] {
  const newest = idle.toSorted((one, other) => other.requestedAtEpochMs - one.requestedAtEpochMs);
  const standing = newest.filter(isStandingBy);
  const registered = newest.filter((launch) => launch.status === 'connected' && !isStandingBy(launch));
  const launching = newest.filter(({ status }) => status !== 'connected');
  const spare = Math.max(0, registered.length - (standing.length > 0 ? queued : 0));
  return [...registered.slice(0, spare), ...standing, ...launching, ...registered.slice(spare)]
    .slice(0, count)
    .map((launch) => ({ launch, kind: 'surplus', reason: 'no queued job waits for its agent' }));
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
    const { runs, retiring, status, plan } = launch;
    if (runs !== undefined) return [];
    if (retiring !== undefined) {
      const isOverdue = nowEpochMs - retiring.sinceEpochMs >= retiringMs;
      return isOverdue ? [{ launch, kind: 'unfinished', reason: retiring.reason }] : [];
    }
    const { idleSeconds, pinnedTo } = plan?.join ?? {};
    if (isUnheard(launch, nowEpochMs))
      return [{ launch, kind: 'idle', reason: 'its agent was summoned, and has not come' }];
    // A pinned agent gets its job or ends by itself, and is surplus when its job is gone.
    if (kept.has(launch.launchId) || pinnedTo !== undefined) return [];
    // One that stands by is in nobody's way, and goes when it is surplus.
    if (status !== 'connected' || isStandingBy(launch) || idleSeconds === undefined) return [];
    if (nowEpochMs - idleSinceEpochMs(launch) < idleSeconds * 1000) return [];
    return [{ launch, kind: 'idle', reason: `its agent has run nothing for ${idleSeconds} s` }];
  });
}

/**
 * Says whether a live launch's agent ran a job that is over, and that long ago that an event of its end should be here.
 * If the CI system has forgotten the runner, too, as it does after a runner's one job, the agent's process hangs.
 *
 * @param over the keys of jobs that are over, as the CI system says of each
 */
export function mayBeFinished(
  { runs, runner, status }: LaunchRecord,
  over: ReadonlySet<string>,
  nowEpochMs: number,
): boolean {
  if (status !== 'connected' || runs === undefined || runner === undefined) return false;
  return over.has(runs.jobKey) && nowEpochMs - runs.sinceEpochMs >= finishedMs;
}

/** Plans the end of launches whose agent's job is over and whose runner is gone. */
export function planFinished(launches: readonly LaunchRecord[]): PlannedRetirement[] {
  const reason = 'its job is over: its CI system says so, and has its runner no more';
  return launches.map((launch) => ({ launch, kind: 'finished', reason }));
}

/** Says whether a launch to retire is still as it was judged. */
export function isStillRetirable(now: LaunchRecord, { kind, launch }: PlannedRetirement): boolean {
  if (kind === 'finished') return now.runs?.jobKey === launch.runs?.jobKey;
  return kind === 'unfinished' ? now.runs === undefined : isSupply(now);
}
