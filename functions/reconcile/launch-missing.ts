import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Profile } from '../../core/config/config.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { launchIdOfJob, launchRequestOf } from '../../core/job/job-launch.ts';
import { latestLaunchesOf } from '../../core/job/job-tries.ts';
import { slotLimitsOf } from '../../core/limits/slot-limits.ts';
import { whyAllAway } from '../../logic/lifecycle/all-away.ts';
import { planWhereConnected } from '../../logic/lifecycle/plan-where-connected.ts';
import { requestLaunch } from '../../logic/lifecycle/request-launch.ts';
import { atATime, writesAtATime } from './at-a-time.ts';
import { type JobPlan, planLaunches } from './plan-launches.ts';
import type { PoolView } from './pool-view.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { RoundDeps } from './waiting-list.ts';

/**
 * Requests the launches that a pool lacks, oldest jobs first and a few at a time, unless every cluster that they could go
 * to is away. The count in the job's record decides which of several callers is the first.
 *
 * @returns how many launches this caller or another one requested
 */
export async function launchMissing(
  deps: RoundDeps,
  run: ReconcileRun,
  system: Pick<CiSystemConfig, 'name'>,
  { demands }: PoolView,
  count: number,
): Promise<number> {
  if (count === 0) return 0;
  const { records } = await deps.launches.getMany(demands.flatMap(({ job }) => latestLaunchesOf(job)));
  const plans = planLaunches(demands, count, (launchId) => records.get(launchId), deps.nowEpochMs());
  const whyAway = eachProfileOnce((profile) => whyAllAway(deps, profile));
  let launched = 0;
  await atATime(writesAtATime, plans, async (plan) => {
    if (!run.mayBegin()) return;
    const subject = `job ${jobKeyOf(plan.demand.job)}`;
    const isDone = await run.attempt(subject, () => carryOut({ ...deps, whyAway }, run, system, plan));
    if (isDone === true) launched += 1;
  });
  return launched;
}

/** Makes a question about profiles that is asked once for each, and again only after it had no answer. */
function eachProfileOnce<Answer>(ask: (profile: Profile) => Promise<Answer>): (profile: Profile) => Promise<Answer> {
  const asked = new Map<string, Promise<Answer>>();
  return async (profile) => {
    const answer = asked.get(profile.name) ?? ask(profile);
    asked.set(profile.name, answer);
    try {
      return await answer;
    } catch (error) {
      asked.delete(profile.name);
      throw error;
    }
  };
}

type CarryOutDeps = RoundDeps & { whyAway: (profile: Profile) => Promise<string | undefined> };

/** @returns whether an agent is on its way because of the plan */
async function carryOut(
  deps: CarryOutDeps,
  run: ReconcileRun,
  { name: ciSystem }: Pick<CiSystemConfig, 'name'>,
  plan: JobPlan,
): Promise<boolean> {
  const { demand } = plan;
  const { job } = demand;
  if (plan.is === 'left') {
    if (plan.reason !== job.notLaunched) await deps.jobs.noteNotLaunched(job, plan.reason);
    return false;
  }
  const away = plan.is === 'launched' ? await deps.whyAway(demand.profile) : undefined;
  if (away !== undefined) {
    if (away !== job.notLaunched) await deps.jobs.noteNotLaunched(job, away);
    return false;
  }
  const [limit] = slotLimitsOf(deps.agentLimits, demand.profile, job);
  if (limit !== undefined) {
    // It gets its turn among all that wait for slots, at the end of this round at the latest.
    if (job.limitedBy === undefined) {
      await deps.jobs.noteLimited(job, job.launches, limit.key, 'its turn has not come yet');
      deps.waiting.hasChanged();
    }
    return false;
  }
  const replacement = plan.is === 'launched' ? plan.replacement : 0;
  const launchId = plan.is === 'repeated' ? plan.launchId : launchIdOfJob(job, replacement);
  if (plan.is === 'launched') {
    const isClaimed = await deps.jobs.claimLaunch(job, replacement, launchId, deps.nowEpochMs());
    // Another caller has requested one in the meantime, or the job needs none any more, or has no record.
    if (!isClaimed) return ((await deps.jobs.get(job))?.launches ?? 0) > job.launches;
  }
  const request = launchRequestOf(job, launchId, demand);
  await requestLaunch(deps, await planWhereConnected(deps, demand.profile, request));
  const repair = replacement === 0 ? 'LaunchRequested' : 'ReplacementRequested';
  run.repair({ ciSystem, repair, subject: launchId, reason: `job ${jobKeyOf(job)} was queued without an agent` });
  return true;
}
