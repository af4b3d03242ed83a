import type { EventSource } from '../../core/ci/ci-systems.ts';
import { jobEnding } from '../../core/job/job-ending.ts';
import { launchRequestOf } from '../../core/job/job-launch.ts';
import type { JobRecord, SeenJob } from '../../core/job/job-record.ts';
import { matchProfile } from '../../core/job/match-profile.ts';
import { type EndOptions, isLive } from '../../core/launch/launch-record.ts';
import { AgentName, ciLaunchId, isAgentOf, type LaunchId } from '../../core/launch/names.ts';
import { slotLimitsOf } from '../../core/limits/slot-limits.ts';
import { endJob } from '../lifecycle/end-job.ts';
import { endLaunch } from '../lifecycle/end-launch.ts';
import { planWhereConnected } from '../lifecycle/plan-where-connected.ts';
import { requestLaunch } from '../lifecycle/request-launch.ts';
import { handleLimited } from './handle-limited.ts';
import { handleRefused } from './handle-refused.ts';
import type { JobDeps } from './job-deps.ts';
import type { JobOutcome } from './job-outcome.ts';

/**
 * Launches an agent for a queued job.
 *
 * @returns its launch, new or known; or why it needs none
 * @throws TransientError when a service did not answer; a redelivery finishes the work
 */
export async function handleQueued(deps: JobDeps, system: EventSource, job: SeenJob): Promise<JobOutcome> {
  const match = matchProfile(deps.profiles, system, job);
  const { profile, size } = match;
  if (profile === undefined) {
    // `GET /jobs` shows the job until it runs elsewhere or is cancelled.
    const record = await deps.jobs.note(job, deps.nowEpochMs());
    return handleRefused(deps, record, match);
  }
  const limits = slotLimitsOf(deps.agentLimits, profile, job);
  if (limits.length > 0) {
    const record = await deps.jobs.note(job, deps.nowEpochMs());
    if (record.status !== 'queued') return { ignored: `the job is ${record.status} already` };
    return handleLimited(deps, record, limits);
  }
  const request = {
    ...launchRequestOf(job, ciLaunchId(job), { size, join: undefined }),
    traceHeader: deps.traceHeader?.(),
  };
  return { requested: await requestLaunch(deps, await planWhereConnected(deps, profile, request)) };
}

/**
 * Ends the launch of a completed job, whatever its conclusion, even if no profile takes the job any more: the config may
 * have changed in the meantime. Writes a tombstone only for jobs that a profile takes.
 *
 * davit has not registered the agent, so it knows no runner id, and anybody can give a runner any name. The event
 * therefore touches no launch but its job's own. A server may give a job to any runner whose labels match, so even that
 * launch's agent may run another job. A launch that came to nothing may have a replacement, which the record names:
 *
 * | the job's runner            | its launch                                                        |
 * |-----------------------------|-------------------------------------------------------------------|
 * | has its own agent's name    | ends, unless davit registers its agent, under a longer name       |
 * | has another name            | stays: its agent ends by its exit, its lifetime or a person       |
 * | none, so the job never ran  | ends, unless its agent has connected: it may run another job      |
 *
 * @returns the launch that it ended
 * @throws TransientError when a service did not answer; a redelivery finishes the work
 */
export async function handleCompleted(deps: JobDeps, system: EventSource, job: SeenJob): Promise<JobOutcome> {
  const ending = jobEnding(job.ciSystem, job.conclusion, deps.nowEpochMs());
  const { profile, reason } = matchProfile(deps.profiles, system, job);
  const isLimited = profile !== undefined && slotLimitsOf(deps.agentLimits, profile, job).length > 0;
  // The job no longer waits for a slot, or for a profile that takes it.
  let record: JobRecord | undefined;
  if (isLimited) record = await deps.jobs.note(job, deps.nowEpochMs());
  else if (profile === undefined) record = await noteIfKnown(deps, job);
  const launchId = record?.lastLaunch?.launchId ?? ciLaunchId(job);
  const options = endOptionsOf(launchId, job.runner?.name);
  const ended =
    profile === undefined
      ? await endLaunch(deps, launchId, ending, options)
      : await endJob(deps, launchId, ending, options);
  if (ended === undefined) return { ignored: reason ?? 'there is no launch' };
  return isLive(ended.record) ? { ignored: 'its agent may run another job, and ends by itself' } : { ended };
}

/** Notes the event of a job that davit shows. Most jobs that no profile takes are none of its business. */
export async function noteIfKnown(
  deps: Pick<JobDeps, 'jobs' | 'nowEpochMs'>,
  job: SeenJob,
): Promise<JobRecord | undefined> {
  return (await deps.jobs.get(job)) === undefined ? undefined : deps.jobs.note(job, deps.nowEpochMs());
}

/** Says which launches of a completed job stay, by the name of the runner that ran it. */
function endOptionsOf(launchId: LaunchId, runnerName: string | undefined): EndOptions {
  if (runnerName === undefined) return { unlessConnected: true };
  const { data: agentName } = AgentName.safeParse(runnerName);
  const isOwn = agentName !== undefined && isAgentOf(launchId, agentName);
  return isOwn ? { unlessJoined: true } : { unlessLive: true };
}
