import type { Profile } from '../domain/config.ts';
import { matchProfile } from '../domain/match-profile.ts';
import type { LaunchId } from '../domain/names.ts';
import { githubLaunchId } from '../domain/names.ts';
import { planLaunch } from '../domain/plan-launch.ts';
import type { HttpAnswer } from '../http/answer.ts';
import { jsonAnswer } from '../http/answer.ts';
import type { EndJobDeps } from '../launch-lifecycle/end-launch.ts';
import { endJob, endLaunch } from '../launch-lifecycle/end-launch.ts';
import { launchAnswer, subjectOf } from '../launch-lifecycle/launch-answer.ts';
import { requestLaunch } from '../launch-lifecycle/request-launch.ts';
import type { Executions } from '../ports/executions.ts';
import { ignored } from './ignored.ts';
import type { WorkflowJobEvent } from './workflow-job.ts';

/** What answering `workflow_job` events needs. */
export interface WorkflowJobDeps extends EndJobDeps {
  profiles: readonly Profile[];
  executions: Pick<Executions, 'start' | 'stop'>;
  /** Reads the request's trace header. @default nothing is traced */
  traceHeader?: (() => string | undefined) | undefined;
  nowEpochMs: () => number;
}

/**
 * Launches an agent for a queued job.
 *
 * @returns 202, or 200 for a known job or a job that no profile takes
 * @throws TransientError when a service did not answer; a redelivery finishes the work
 */
export async function answerQueued(deps: WorkflowJobDeps, event: WorkflowJobEvent): Promise<HttpAnswer> {
  const profile = matchProfile(deps.profiles, event.workflow_job.labels);
  if (profile === undefined) return ignored(noProfile(event));
  const { html_url: sourceUrl } = event.workflow_job;
  const request = { launchId: launchIdOf(event), sourceUrl, traceHeader: deps.traceHeader?.() };
  return launchAnswer(await requestLaunch(deps, planLaunch(profile, request, deps.nowEpochMs())));
}

/**
 * Ends the launch of a completed job, whatever its conclusion, even if no profile takes the job any more: the config may
 * have changed in the meantime. Writes a tombstone only for jobs that a profile takes.
 *
 * @returns 202 while davit removes the agent, 200 when nothing is left to do
 * @throws TransientError when a service did not answer; a redelivery finishes the work
 */
export async function answerCompleted(deps: WorkflowJobDeps, event: WorkflowJobEvent): Promise<HttpAnswer> {
  const launchId = launchIdOf(event);
  const conclusion = event.workflow_job.conclusion ?? 'no conclusion';
  const ending = {
    outcome: 'terminated' as const,
    code: 'Terminated',
    message: `the job completed: ${conclusion}`,
    by: `github workflow_job completed (${conclusion})`,
    atEpochMs: deps.nowEpochMs(),
  };
  const isTaken = matchProfile(deps.profiles, event.workflow_job.labels) !== undefined;
  const ended = await (isTaken ? endJob : endLaunch)(deps, launchId, ending);
  if (ended === undefined) return ignored(noProfile(event));
  const { record, duplicate } = ended;
  const answer = { launchId, status: record.status, ...(duplicate ? { duplicate } : {}) };
  const subject = { ...subjectOf(record), duplicate };
  return { ...jsonAnswer(record.status === 'cleaning' ? 202 : 200, answer), subject };
}

function launchIdOf({ repository, workflow_job: job }: WorkflowJobEvent): LaunchId {
  return githubLaunchId({ repositoryId: repository.id, jobId: job.id, runAttempt: job.run_attempt });
}

function noProfile({ workflow_job: { labels } }: WorkflowJobEvent): string {
  if (labels.length === 0) return 'the job has no labels';
  return `no profile has all of the job's labels: ${labels.join(', ')}`;
}
