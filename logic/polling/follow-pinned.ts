import type { CiRunner } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { OpenJob } from '../../core/ci/poll-cursor.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import { type AttributedEnding, isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { present } from '../../core/present.ts';
import type { CiJobState } from '../../ports/ci-system.ts';
import { handleRegisteredJob } from '../jobs/handle-registered-job.ts';
import { endLaunch } from '../lifecycle/end-launch.ts';
import { begin, polledScope } from './follow-job.ts';
import { laterEvent } from './later-event.ts';
import type { PollDeps } from './poll-deps.ts';
import { retire } from './retire.ts';

/**
 * How long a job must run while the runner of its own launch is idle until davit takes it for another runner's, in
 * milliseconds: an agent that has just got the job says so within seconds.
 */
const elsewhereMs = 15_000;

/**
 * Handles the state of a job that davit follows, as the event that the CI system does not send. Where davit reserves the
 * job, only the agent of the job's own launch may get it; elsewhere the system is asked whether that agent has it. Such a
 * system may also be asked for a job by its id, and nothing ends because a list lacks it.
 *
 * @param listed undefined when the system's list or its states lack the job
 * @returns the job as the next poll follows it; undefined for one that is over, or that another agent has
 * @throws TransientError, TerminalError when the system or a table did not answer; the next poll asks again
 */
export async function followPinned(
  deps: PollDeps,
  system: CiSystemConfig,
  open: OpenJob,
  listed: CiJobState | undefined,
): Promise<OpenJob | undefined> {
  if (listed?.status === 'in_progress' && open.runner !== undefined) return open;
  if (isWaiting(listed)) return open;
  const [record] = await deps.jobs.getMany([open.jobKey]);
  if (record === undefined) return undefined;
  const launch = record.lastLaunch && (await deps.launches.get(record.lastLaunch.launchId));
  const job: FollowedJob = { open, record, launch };
  const state = listed ?? (await askById(deps, system, job));
  // Reconciling decides about a job of which the system says nothing for long.
  if (state === undefined) return record.status === 'completed' ? undefined : open;
  if (isWaiting(state)) return open;
  if (state.status === 'in_progress') return followRunning(deps, system, job);
  await finish(deps, system, job, state.conclusion);
  return undefined;
}

/** A job that is no longer in the queue, and the launch for it. */
interface FollowedJob {
  open: OpenJob;
  record: JobRecord;
  launch: LaunchRecord | undefined;
}

/** Says whether a job waits, as far as the system says. */
export function isWaiting(state: CiJobState | undefined): boolean {
  return state?.status === 'waiting' || state?.status === 'queued';
}

/** The runner of the job's own launch, unless davit has removed it. */
function ownRunnerOf({ launch }: FollowedJob): CiRunner | undefined {
  return launch?.deregisteredAtEpochMs === undefined ? launch?.runner : undefined;
}

/** @returns undefined also for a system whose list is not the only answer: its states have told what it knows */
async function askById(deps: PollDeps, system: CiSystemConfig, job: FollowedJob): Promise<CiJobState | undefined> {
  const { repository, jobId, attempt, runId, runner, status } = job.record;
  const ci = deps.ciSystemOf(system.name);
  if (status === 'completed' || ci.pinned?.statesOf !== undefined) return undefined;
  const known = { attempt, ...present({ runId, runner, own: ownRunnerOf(job) }) };
  const state = await ci.getJob(repository, jobId, known);
  // A later attempt means that this one is over.
  return state !== undefined && state.attempt > attempt ? { attempt, status: 'completed' } : state;
}

async function followRunning(deps: PollDeps, system: CiSystemConfig, job: FollowedJob): Promise<OpenJob | undefined> {
  const { open, record, launch } = job;
  const { elsewhereSinceEpochMs, ...followed } = open;
  if (record.runner !== undefined) return begin(deps, system, record, { runner: record.runner });
  const runner = ownRunnerOf(job);
  if (runner === undefined || launch === undefined || !isLive(launch)) {
    await endUntaken(deps, system, record);
    return undefined;
  }
  const isOwn = await hasTaken(deps, system, launch, runner);
  if (isOwn === true) return begin(deps, system, record, { runner });
  if (isOwn === undefined) return followed;
  const now = deps.nowEpochMs();
  const since = elsewhereSinceEpochMs ?? now;
  if (now - since < elsewhereMs) return { ...followed, elsewhereSinceEpochMs: since };
  await handleRegisteredJob(deps, system, laterEvent('in_progress', record, {}, now));
  // Its agent waits for a job that never comes. The retirement looks once more whether it has the job.
  await retire(deps, launch.launchId, { reason: takenWords(system), actor: 'taken' });
  return undefined;
}

/** Says whether the runner of a launch has, or has had, the launch's job. @returns undefined while nobody knows */
async function hasTaken(
  deps: PollDeps,
  system: CiSystemConfig,
  { launchId }: LaunchRecord,
  runner: CiRunner,
): Promise<boolean | undefined> {
  const { pinned } = deps.ciSystemOf(system.name);
  if (pinned?.runnerStatus === undefined) return true;
  const status = await pinned.runnerStatus(polledScope, runner.id);
  if (status !== 'gone') return status === undefined ? undefined : status === 'active';
  // A runner that is gone has had its job, or davit has removed it since its launch was read:
  //   poll     reads the launch                                     asks for the runner: gone
  //   retire                      marks the launch ──► removes the runner
  //   connect                     begins again     ──► removes the runner, and dies
  const now = await deps.launches.get(launchId);
  const mayHaveRemoved =
    now?.retiring !== undefined ||
    now?.deregisteredAtEpochMs !== undefined ||
    now?.registration?.isComplete === undefined;
  return now?.runner?.id === runner.id && !mayHaveRemoved ? true : undefined;
}

/**
 * Ends the launch for a job that is over. If its agent never got the job, that agent may wait for ever, and is retired: also
 * that of a job which was cancelled before it was seen to run, whatever the system says of a runner that is gone.
 */
async function finish(
  deps: PollDeps,
  system: CiSystemConfig,
  job: FollowedJob,
  conclusion: string | undefined,
): Promise<void> {
  const { record, launch } = job;
  const own = ownRunnerOf(job);
  const mayBeLeft = record.runner === undefined && launch?.runner !== undefined && isLive(launch);
  // A runner that davit took out, because its agent registers again, never had the job.
  const isLeft =
    mayBeLeft &&
    (own === undefined || conclusion === 'cancelled' || (await hasTaken(deps, system, launch, own)) !== true);
  // An agent whose launch was over had nothing to do with the job's end.
  const runner = record.runner ?? (isLeft || !isLive(launch) ? undefined : own);
  const seen = present({ runner, conclusion });
  await handleRegisteredJob(deps, system, laterEvent('completed', record, seen, deps.nowEpochMs()));
  if (isLeft && launch !== undefined)
    await retire(deps, launch.launchId, { reason: 'the job is over, and its agent never had it', actor: 'surplus' });
}

function takenWords({ name }: CiSystemConfig): string {
  return `another agent of ${name} runs the job`;
}

/** Ends the launch for a job that another agent has: its own agent has not joined the CI system. */
async function endUntaken(deps: PollDeps, system: CiSystemConfig, record: JobRecord): Promise<void> {
  const now = deps.nowEpochMs();
  await handleRegisteredJob(deps, system, laterEvent('in_progress', record, {}, now));
  if (record.lastLaunch === undefined) return;
  const ending: AttributedEnding = {
    outcome: 'terminated',
    code: 'Terminated',
    message: takenWords(system),
    by: 'poll-ci',
    actor: { kind: 'davit', name: 'poll-ci/taken' },
    atEpochMs: now,
  };
  await endLaunch(deps, record.lastLaunch.launchId, ending, { unlessConnected: true });
}
