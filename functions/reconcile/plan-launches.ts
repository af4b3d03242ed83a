import { latestLaunchesOf, triesOf, triesWords } from '../../core/job/job-tries.ts';
import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { type LaunchId, mostReplacements } from '../../core/launch/names.ts';
import type { Demand } from './pool-view.ts';

/** What reconciling does about a queued job without an agent. */
export type JobPlan =
  /** Requests its first launch, or its k-th replacement. */
  | { demand: Demand; is: 'launched'; replacement: number }
  /** Requests a launch again that was counted, but whose record was never written. */
  | { demand: Demand; is: 'repeated'; launchId: LaunchId }
  | { demand: Demand; is: 'left'; reason: string };

/**
 * Plans launches for queued jobs without an agent. Jobs without a live launch of their own come first, oldest first. A
 * job whose launch runs another job counts as one without a launch.
 *
 * @param demands of one pool, oldest first
 * @param count how many launches are missing
 * @param launchOf the record of a launch: of each job's latest ones
 * @returns at most `count` launches, and each job before them that may not have one, with the reason
 */
export function planLaunches(
  demands: readonly Demand[],
  count: number,
  launchOf: (launchId: LaunchId) => LaunchRecord | undefined,
  nowEpochMs: number,
): JobPlan[] {
  const lastOf = ({ job }: Demand) => job.lastLaunch && launchOf(job.lastLaunch.launchId);
  const hasOwn = (demand: Demand) => isLive(lastOf(demand));
  const inOrder = [...demands.filter((demand) => !hasOwn(demand)), ...demands.filter(hasOwn)];
  const plans: JobPlan[] = [];
  let left = count;
  for (const demand of inOrder) {
    if (left <= 0) break;
    const latest = latestLaunchesOf(demand.job).flatMap((launchId) => launchOf(launchId) ?? []);
    const plan = planJob(demand, lastOf(demand), latest, nowEpochMs);
    plans.push(plan);
    if (plan.is !== 'left') left -= 1;
  }
  return plans;
}

function planJob(
  demand: Demand,
  last: LaunchRecord | undefined,
  latest: readonly LaunchRecord[],
  nowEpochMs: number,
): JobPlan {
  const { launches, lastLaunch } = demand.job;
  if (lastLaunch === undefined) return { demand, is: 'launched', replacement: 0 };
  // The caller that counted it died before its request, or is about to make it: the same id requests the same launch.
  if (last === undefined) return { demand, is: 'repeated', launchId: lastLaunch.launchId };
  if (launches > mostReplacements) {
    return { demand, is: 'left', reason: `${launches} launches were requested for this job` };
  }
  const tries = triesOf(latest, nowEpochMs);
  return nowEpochMs < tries.mayAtEpochMs
    ? { demand, is: 'left', reason: triesWords(tries) }
    : { demand, is: 'launched', replacement: launches };
}
