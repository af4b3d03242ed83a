import { latestLaunchesOf, mostFailures, triesOf, triesWords } from '../../core/job/job-tries.ts';
import { isLive } from '../../core/launch/launch-record.ts';
import { ciLaunchId, mostReplacements } from '../../core/launch/names.ts';
import type { PlannedRepair } from './planned-repair.ts';
import type { Demand } from './pool-view.ts';
import type { LaunchesView } from './round-view.ts';

type LaunchOrLeave = Extract<PlannedRepair, { kind: 'launch' | 'leave' }>;

/**
 * Plans launches for queued jobs without an agent. Jobs without a live launch of their own come first, oldest first. A
 * job whose launch runs another job counts as one without a launch. A job of whose launches davit knows nothing is left to
 * the next round.
 *
 * @param demands of the pool, oldest first
 * @param count how many launches are missing
 * @returns at most `count` launches, and each job before them that may not have one, with the reason
 */
export function planLaunches(
  pool: string,
  demands: readonly Demand[],
  count: number,
  launches: LaunchesView,
  nowEpochMs: number,
): LaunchOrLeave[] {
  const isRead = ({ job }: Demand) => !latestLaunchesOf(job).some((launchId) => launches.unread.has(launchId));
  const hasOwn = ({ job }: Demand) => isLive(job.lastLaunch && launches.records.get(job.lastLaunch.launchId));
  const known = demands.filter(isRead);
  const plans: LaunchOrLeave[] = [];
  let left = count;
  for (const demand of [...known.filter((each) => !hasOwn(each)), ...known.filter(hasOwn)]) {
    if (left <= 0) break;
    const plan = planJob(pool, demand, launches, nowEpochMs);
    plans.push(plan);
    if (plan.kind === 'launch') left -= 1;
  }
  return plans;
}

function planJob(pool: string, demand: Demand, { records }: LaunchesView, nowEpochMs: number): LaunchOrLeave {
  const { job } = demand;
  const { launches, lastLaunch } = job;
  const launch = (replacement: number): LaunchOrLeave => {
    return { kind: 'launch', pool, demand, launchId: ciLaunchId(job, replacement), replacement };
  };
  if (lastLaunch === undefined) return launch(0);
  // The caller that counted it died before its request, or is about to make it: the same id requests the same launch.
  if (!records.has(lastLaunch.launchId)) {
    return { kind: 'launch', pool, demand, launchId: lastLaunch.launchId, replacement: undefined };
  }
  if (launches > mostReplacements) {
    return { kind: 'leave', job, reason: `${launches} launches were requested for this job` };
  }
  const latest = latestLaunchesOf(job).flatMap((launchId) => records.get(launchId) ?? []);
  const tries = triesOf(latest, nowEpochMs);
  const { pinnedTo } = demand.join;
  if (pinnedTo !== undefined && tries.failures === mostFailures) {
    const words = tries.latest?.ending?.message ?? '';
    const reason = `its last ${tries.failures} launches failed, the latest: ${words}`;
    return { kind: 'leave', job, reason, finish: pinnedTo };
  }
  return nowEpochMs < tries.mayAtEpochMs ? { kind: 'leave', job, reason: triesWords(tries) } : launch(launches);
}
