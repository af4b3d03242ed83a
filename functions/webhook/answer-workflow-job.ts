import type { Profile } from '../domain/config.ts';
import { matchProfile } from '../domain/match-profile.ts';
import type { LaunchId } from '../domain/names.ts';
import { githubLaunchId } from '../domain/names.ts';
import { planLaunch } from '../domain/plan-launch.ts';
import type { HttpAnswer } from '../http/answer.ts';
import { jsonAnswer } from '../http/answer.ts';
import { endJob, endLaunch } from '../launches/end-launch.ts';
import { launchAnswer, subjectOf } from '../launches/launch-answer.ts';
import type { RequestLaunchDeps } from '../launches/request-launch.ts';
import { requestLaunch } from '../launches/request-launch.ts';
import { ignored } from './ignored.ts';
import type { WorkflowJobEvent } from './workflow-job.ts';

/** What answering jobs needs. */
export interface WorkflowJobDeps extends RequestLaunchDeps {
  profiles: readonly Profile[];
}

/**
 * Launches an agent for a job that was queued.
 *
 * @returns 202, or 200 for a job that was seen before or that no profile takes
 * @throws TransientError when a service did not answer; delivering again mends what is half done
 */
export async function answerQueued(deps: WorkflowJobDeps, event: WorkflowJobEvent): Promise<HttpAnswer> {
  const profile = matchProfile(deps.profiles, event.workflow_job.labels);
  if (profile === undefined) return ignored(noProfile(event));
  const { html_url: sourceUrl } = event.workflow_job;
  const request = { launchId: launchIdOf(event), sourceUrl, traceHeader: deps.traceHeader?.() };
  return launchAnswer(await requestLaunch(deps, planLaunch(profile, request, deps.nowEpochMs())));
}

/**
 * Ends the launch of a job that is over, whatever its conclusion. A launch is ended even if no profile takes its job any
 * more, as the config may have changed since; only the tombstone is kept to jobs that could come to be launched.
 *
 * @returns 202 while its agent is being removed, 200 when nothing is left to do
 * @throws TransientError when a service did not answer; delivering again mends what is half done
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
  const about = { ...subjectOf(record), duplicate };
  return { ...jsonAnswer(record.status === 'cleaning' ? 202 : 200, answer), about };
}

function launchIdOf({ repository, workflow_job: job }: WorkflowJobEvent): LaunchId {
  return githubLaunchId({ repositoryId: repository.id, jobId: job.id, runAttempt: job.run_attempt });
}

function noProfile({ workflow_job: { labels } }: WorkflowJobEvent): string {
  if (labels.length === 0) return 'the job has no labels';
  return `no profile has all of the job’s labels: ${labels.join(', ')}`;
}
