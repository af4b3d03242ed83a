import { jobKeyOf } from '../../core/job/job-id.ts';
import { launchRequestOf } from '../../core/job/job-launch.ts';
import { slotLimitsOf } from '../../core/limits/slot-limits.ts';
import { planWhereConnected } from '../../logic/lifecycle/plan-where-connected.ts';
import { requestLaunch } from '../../logic/lifecycle/request-launch.ts';
import type { PlannedRepair } from './planned-repair.ts';
import type { RoundDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/**
 * Requests a launch for a job, unless every cluster that it could go to is away, or a limit counts it: then the job gets its
 * turn among all that wait for slots. The count in the job's record decides which of several callers is the first.
 *
 * @returns whether an agent is on its way because of the plan
 */
export async function requestLaunchOfJob(
  deps: RoundDeps,
  run: ReconcileRun,
  { demand, launchId, replacement }: Extract<PlannedRepair, { kind: 'launch' }>,
): Promise<boolean> {
  const { job, profile } = demand;
  const away = replacement === undefined ? undefined : await deps.whyAway(profile);
  if (away !== undefined) {
    if (away !== job.notLaunched) await deps.jobs.noteNotLaunched(job, away);
    return false;
  }
  const [limit] = slotLimitsOf(deps.agentLimits, profile, job);
  if (limit !== undefined) {
    // It gets its turn among all that wait for slots, at the end of this round at the latest.
    if (job.limitedBy === undefined) {
      await deps.jobs.noteLimited(job, job.launches, limit.key, 'its turn has not come yet');
      deps.waiting.hasChanged();
    }
    return false;
  }
  if (replacement !== undefined) {
    const isClaimed = await deps.jobs.claimLaunch(job, replacement, launchId, deps.nowEpochMs());
    // Another caller has requested one in the meantime, or the job needs none any more, or has no record.
    if (!isClaimed) return ((await deps.jobs.get(job))?.launches ?? 0) > job.launches;
  }
  await requestLaunch(deps, await planWhereConnected(deps, profile, launchRequestOf(job, launchId, demand)));
  const repair = (replacement ?? 0) === 0 ? 'LaunchRequested' : 'ReplacementRequested';
  const reason = `job ${jobKeyOf(job)} was queued without an agent`;
  run.repair({ ciSystem: job.ciSystem, repair, subject: launchId, reason });
  return true;
}
