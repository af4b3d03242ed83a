import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { askedLabels } from '../../core/ci/ci-systems.ts';
import type { OpenJob } from '../../core/ci/poll-cursor.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import { isLive } from '../../core/launch/launch-record.ts';
import type { ListedRunner } from '../../ports/ci-system.ts';
import type { PollDeps } from './poll-deps.ts';
import { type RunnerLaunch, runnerLaunches } from './runner-launches.ts';

/** What a poll has seen. */
export interface PollSight {
  queued: ReadonlyMap<string, ReadJob>;
  /** This davit's, listed after the queue. */
  runners: readonly ListedRunner[];
  /** The jobs that are not over. */
  open: readonly OpenJob[];
}

/**
 * Finds the idle agents that no open job may take. Each is surplus, or has run a job that no poll saw running: the CI system
 * forgets whether a runner has run anything, and would give it the next job, of whatever project.
 *
 *     queue: job 8 ──► runners: idle        its agent has not connected yet, or gets job 8 now
 *     queue: –     ──► runners: idle        job 8 was cancelled, ran elsewhere, or ran here and is over
 *
 * @throws TransientError StoreUnavailable
 */
export async function findUnneeded(
  deps: PollDeps,
  system: CiSystemConfig,
  { queued, runners, open }: PollSight,
): Promise<RunnerLaunch[]> {
  const inUse = new Set(open.map(({ runner }) => runner?.id));
  const idle = runners.filter(({ id, isBusy }) => isBusy === false && !inUse.has(id));
  const found = (await runnerLaunches(deps, idle)).filter(
    ({ launch }) => isLive(launch) && launch.runs === undefined && launch.retiring === undefined,
  );
  if (found.length === 0) return [];
  // A job that is blocked for a while is open, and not in the list of the queue.
  const blocked = open.filter(({ jobKey, runner }) => runner === undefined && !queued.has(jobKey));
  const waiting = [...queued.values(), ...(await deps.jobs.getMany(blocked.map(({ jobKey }) => jobKey)))];
  const asked = waiting.map(({ labels }) => askedLabels(system.provider, labels));
  return found.filter(({ launch }) => {
    const offered = new Set(launch.plan?.join?.labels);
    return !asked.some(({ isMetBy }) => isMetBy(offered));
  });
}
