import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import { jobKeyOf } from '../domain/job-record.ts';
import { ciLaunchId, type LaunchId } from '../domain/names.ts';
import { planLaunch } from '../domain/plan-launch.ts';
import { requestLaunch } from '../launch-lifecycle/request-launch.ts';
import { type JobPlan, planLaunches } from './plan-launches.ts';
import type { Demand, PoolView } from './pool-view.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/**
 * Asks for the launches that a pool misses. The count in the job's record decides which of several callers is the first.
 *
 * @returns how many were asked for, by this caller or another
 */
export async function launchMissing(
  deps: ReconcileDeps,
  run: ReconcileRun,
  system: Pick<CiSystemConfig, 'name'>,
  { demands }: PoolView,
  count: number,
): Promise<number> {
  if (count === 0) return 0;
  const lastIds = demands.flatMap(({ job }) => job.lastLaunch?.launchId ?? []);
  const { records } = await deps.launches.getMany(lastIds);
  const plans = planLaunches(demands, count, (launchId) => records.get(launchId), deps.nowEpochMs());
  let launched = 0;
  for (const plan of plans) {
    if (!run.mayBegin()) break;
    const subject = `job ${jobKeyOf(plan.demand.job)}`;
    const isDone = await run.attempt(subject, () => carryOut(deps, run, system, plan));
    if (isDone === true) launched += 1;
  }
  return launched;
}

/** @returns whether an agent is on its way because of the plan */
async function carryOut(
  deps: ReconcileDeps,
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
  const { repositoryId, jobId, attempt } = job;
  const replacement = plan.is === 'launched' ? plan.replacement : 0;
  const id = { ciSystem, repositoryId, jobId, attempt, ...(replacement === 0 ? {} : { replacement }) };
  const launchId = plan.is === 'repeated' ? plan.launchId : ciLaunchId(id);
  if (plan.is === 'launched') {
    const isClaimed = await deps.jobs.claimLaunch(job, replacement, launchId, deps.nowEpochMs());
    // Somebody else has asked for one meanwhile.
    if (!isClaimed) return true;
  }
  await requestFor(deps, demand, launchId);
  const repair = replacement === 0 ? 'LaunchRequested' : 'ReplacementRequested';
  run.repair({ ciSystem, repair, subject: launchId, reason: `job ${jobKeyOf(job)} was queued without an agent` });
  return true;
}

async function requestFor(deps: ReconcileDeps, { job, profile, join }: Demand, launchId: LaunchId): Promise<void> {
  const request = { launchId, sourceUrl: job.url, join, jobKey: jobKeyOf(job) };
  await requestLaunch(deps, planLaunch(profile, request, deps.nowEpochMs()));
}
