import { type CiScope, everyOwner } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { OpenJob } from '../../core/ci/poll-cursor.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import { agentNameOfRunner } from '../../core/launch/runner-names.ts';
import { present } from '../../core/present.ts';
import type { CiJobState, ListedRunner } from '../../ports/ci-system.ts';
import { handleRegisteredJob } from '../jobs/handle-registered-job.ts';
import { stopRunner } from '../lifecycle/stop-runner.ts';
import { laterEvent } from './later-event.ts';
import type { PollDeps } from './poll-deps.ts';
import { type BoundRunner, boundJobs } from './runner-launches.ts';

/** The scope of every request of a poll: the whole CI system. */
export const polledScope: CiScope = { organization: everyOwner };

/**
 * Finds out what became of a job that is no longer queued, and handles it as the event that the CI system does not send.
 *
 * @param runners this davit's, as the CI system has just listed them
 * @returns the job as the next poll follows it; undefined for one that is over, or runs elsewhere
 * @throws TransientError, TerminalError when the CI system or a table did not answer; the next poll asks again
 */
export async function followJob(
  deps: PollDeps,
  system: CiSystemConfig,
  open: OpenJob,
  runners: readonly ListedRunner[],
): Promise<OpenJob | undefined> {
  const { jobKey, runner } = open;
  if (runner !== undefined && runners.some(({ id, isBusy }) => id === runner.id && isBusy)) return open;
  const [record] = await deps.jobs.getMany([jobKey]);
  if (record === undefined) return undefined;
  const known = record.runner ?? runner;
  const bound = known === undefined ? await boundJobs(deps, runners) : [];
  const others = bound.filter((each) => each.jobKey !== jobKey);
  const hint = known === undefined ? { ofOthers: new Set(others.map((each) => each.runner.id)) } : { runner: known };
  const state = await deps.ciSystemOf(system.name).getJob(record.repository, record.jobId, hint);
  return handleState(deps, system, { open, record, state, others });
}

/** What a CI system said of a job that davit knows. */
export interface JobNow {
  open: OpenJob;
  record: JobRecord;
  /** Undefined for a job that the CI system does not have. */
  state: CiJobState | undefined;
  /** The jobs of the other busy runners, for a system whose jobs have parts that look alike. @default none */
  others?: readonly BoundRunner[];
}

/**
 * Handles the state of a job as the event that the CI system does not send.
 *
 * @returns the job as the next poll follows it; undefined for one that is over, or runs elsewhere
 * @throws TransientError, TerminalError when the CI system or a table did not answer; the next poll asks again
 */
export async function handleState(
  deps: PollDeps,
  system: CiSystemConfig,
  { open, record, state, others = [] }: JobNow,
): Promise<OpenJob | undefined> {
  // A replica of the system's database may lack a job that is there: reconciling decides about it, and this poll follows.
  if (state === undefined) return record.status === 'completed' ? finish(deps, system, record, {}) : open;
  // A later attempt means that this one is over.
  if (state.attempt > record.attempt) return finish(deps, system, record, {});
  switch (state.status) {
    case 'waiting':
    case 'queued':
      return open;
    case 'in_progress': {
      // Another part of the same pipeline is there: this one was over before davit looked.
      const isOfOther = others.some(({ runner: { id }, url }) => id === state.runner?.id && url === record.url);
      return isOfOther ? finish(deps, system, record, {}) : begin(deps, system, record, state);
    }
    case 'completed':
      return finish(deps, system, record, state);
  }
}

type Seen = Pick<CiJobState, 'runner' | 'conclusion'>;

/**
 * Binds a job to its agent, and keeps the agent from running another one after it.
 *
 * @returns the job as the next poll follows it; undefined for one that runs elsewhere
 */
export async function begin(
  deps: PollDeps,
  system: CiSystemConfig,
  record: JobRecord,
  { runner }: Pick<Seen, 'runner'>,
): Promise<OpenJob | undefined> {
  const event = laterEvent('in_progress', record, present({ runner }), deps.nowEpochMs());
  await handleRegisteredJob(deps, system, event);
  if (runner === undefined || !isOwn(deps, runner)) return undefined;
  await deps.ciSystemOf(system.name).limitToOneJob?.(polledScope, runner.id);
  return { jobKey: jobKeyOf(record), runner };
}

/**
 * Ends the launch of a job that is over. Where runners do not end with their job, it first stops the CI system from
 * assigning jobs to the runner, and then removes the runner if it is idle. If the runner got another job in the meantime,
 * both go on, and a later poll ends the launch.
 */
async function finish(
  deps: PollDeps,
  system: CiSystemConfig,
  record: JobRecord,
  seen: Seen,
): Promise<OpenJob | undefined> {
  const { runner = record.runner } = seen;
  const own = runner !== undefined && isOwn(deps, runner) ? runner : undefined;
  const ci = deps.ciSystemOf(system.name);
  if (own !== undefined && ci.limitToOneJob !== undefined) {
    // Without a job, another function could retire the launch in between.
    if (record.ranBy === undefined) await begin(deps, system, record, { runner: own });
    const settlingMs = await stopRunner(ci, { scope: polledScope, runnerId: own.id }, deps.nowEpochMs());
    // A poll must not stand still for long: where the CI system keeps since when, a later one goes on.
    if (ci.stoppedAtEpochMs === undefined) await deps.sleep(settlingMs);
    else if (settlingMs > 0) return { jobKey: jobKeyOf(record), runner: own };
    if ((await ci.removeIfIdle(polledScope, own.id)) === 'busy') return { jobKey: jobKeyOf(record), runner: own };
  }
  const outcome = await handleRegisteredJob(deps, system, laterEvent('completed', record, seen, deps.nowEpochMs()));
  if ('ended' in outcome && own !== undefined && ci.limitToOneJob !== undefined) {
    await deps.registrations.noteDeregistered(outcome.ended.record.launchId, own.id, deps.nowEpochMs());
  }
  return undefined;
}

/** Says whether a runner is one of this davit's, by its name. */
export function isOwn({ installationId }: Pick<PollDeps, 'installationId'>, { name }: { name: string }): boolean {
  return agentNameOfRunner(installationId, name) !== undefined;
}
