import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import { jobEnding } from '../domain/job-ending.ts';
import type { JobEvent } from '../domain/job-event.ts';
import { launchIdOf } from '../domain/job-event.ts';
import { type JobRecord, jobKeyOf, type SeenJob } from '../domain/job-record.ts';
import { joinOf } from '../domain/join-of.ts';
import { matchProfile } from '../domain/match-profile.ts';
import { planLaunch } from '../domain/plan-launch.ts';
import type { HttpAnswer } from '../http/answer.ts';
import { jsonAnswer } from '../http/answer.ts';
import { bindJob } from '../launch-lifecycle/bind-job.ts';
import { endLaunch } from '../launch-lifecycle/end-launch.ts';
import { launchAnswer, subjectOf } from '../launch-lifecycle/launch-answer.ts';
import { requestLaunch } from '../launch-lifecycle/request-launch.ts';
import type { Jobs } from '../ports/jobs.ts';
import type { Registrations } from '../ports/registrations.ts';
import { answerCompleted, answerQueued, endedAnswer, type JobDeps } from './answer-job.ts';
import { ignored } from './ignored.ts';
import { seenJobOf } from './seen-job-of.ts';

/** What answering events of jobs needs whose agents davit registers. */
export interface RegisteredJobDeps extends JobDeps {
  jobs: Pick<Jobs, 'get' | 'note' | 'notePlace' | 'claimLaunch' | 'noteRanBy' | 'noteNotLaunched'>;
  registrations: Pick<Registrations, 'bind'>;
  /** Begins the names of all runners of this davit, see `runnerPrefixOf`. */
  installationId: string;
}

/** How old a queued job may be that davit hears of for the first time, and is launched for at once, in milliseconds. */
const freshMs = 60_000;

/**
 * Answers an event of a CI system in which davit acts. Any agent of a pool may run a job, so a job is a demand for one
 * agent more, and ends the launch whose agent has run it, and no other. Events may come twice, late, in any order, or
 * never: reconciling counts what is missing and what is too much.
 *
 * @throws TransientError when a service did not answer; a redelivery finishes the work
 */
export async function answerRegisteredJob(
  deps: RegisteredJobDeps,
  system: CiSystemConfig,
  event: JobEvent,
): Promise<HttpAnswer> {
  const now = deps.nowEpochMs();
  const seen = seenJobOf(system, event);
  const isLate = seen.status === 'queued' && now - (seen.queuedAtEpochMs ?? now) > freshMs;
  const isLateNews = isLate && (await deps.jobs.get(seen)) === undefined;
  const record = await deps.jobs.note(seen, now);
  const { repository, organization } = seen;
  await deps.jobs.notePlace(system.name, { repository, ...(organization === undefined ? {} : { organization }) }, now);
  switch (seen.status) {
    case 'waiting':
      return ignored('the job waits for another job, or for an approval');
    case 'queued':
      return isLateNews ? leftToReconcile(deps, record) : answerDemand(deps, system, event, record);
    case 'in_progress':
      return answerRunning(deps, seen);
    case 'completed':
      return answerOver(deps, system, event, seen);
  }
}

/** A queued event that comes late may be of a job that is long over. Only the CI system's list says, which this may not read. */
async function leftToReconcile(deps: RegisteredJobDeps, record: JobRecord): Promise<HttpAnswer> {
  const reason = 'the event came late: the next reconcile asks whether the job still waits';
  await deps.jobs.noteNotLaunched(record, reason);
  return ignored(reason);
}

async function answerDemand(
  deps: RegisteredJobDeps,
  system: CiSystemConfig,
  event: JobEvent,
  record: JobRecord,
): Promise<HttpAnswer> {
  if (record.status !== 'queued') return ignored(`the job is ${record.status} already`);
  const { profile, reason } = matchProfile(deps.profiles, system.provider, event);
  if (profile === undefined) {
    await deps.jobs.noteNotLaunched(record, reason);
    return ignored(reason);
  }
  const join = joinOf(system, profile, record);
  if (join === undefined) return answerQueued(deps, system, event);
  const now = deps.nowEpochMs();
  const launchId = launchIdOf(system.name, event);
  if (!(await deps.jobs.claimLaunch(record, 0, launchId, now))) {
    return ignored(`${record.launches} launches were asked for because of the job already`);
  }
  const { url: sourceUrl } = event.job;
  const request = { launchId, sourceUrl, traceHeader: deps.traceHeader?.(), join, jobKey: jobKeyOf(record) };
  return launchAnswer(await requestLaunch(deps, planLaunch(profile, request, now)));
}

async function answerRunning(deps: RegisteredJobDeps, seen: SeenJob): Promise<HttpAnswer> {
  const launch = await bindJob(deps, seen);
  if (launch === undefined) return ignored('the job runs on no agent of this davit');
  const { launchId, status } = launch;
  return { ...jsonAnswer(200, { launchId, status }), subject: subjectOf(launch) };
}

async function answerOver(
  deps: RegisteredJobDeps,
  system: CiSystemConfig,
  event: JobEvent,
  seen: SeenJob,
): Promise<HttpAnswer> {
  const launch = await bindJob(deps, seen);
  if (launch === undefined) return answerUnbound(deps, system, event, seen);
  const ending = jobEnding(system.name, seen.conclusion, deps.nowEpochMs());
  const ended = await endLaunch(deps, launch.launchId, ending);
  return ended === undefined ? ignored('the launch of the agent is forgotten') : endedAnswer(ended);
}

/** A job that an agent ran which davit does not register is its launch's only one. */
async function answerUnbound(
  deps: RegisteredJobDeps,
  system: CiSystemConfig,
  event: JobEvent,
  seen: SeenJob,
): Promise<HttpAnswer> {
  const { profile } = matchProfile(deps.profiles, system.provider, event);
  const isPinned = profile !== undefined && joinOf(system, profile, seen) === undefined;
  return isPinned ? answerCompleted(deps, system, event) : ignored('the job ran on no agent of this davit');
}
