import { readBuildkiteHook } from '../../ci/buildkite/read-buildkite-hook.ts';
import type { EventReader } from '../../ci/event-reader.ts';
import { readForgejoHook } from '../../ci/forgejo/read-forgejo-hook.ts';
import { readGiteaEvent } from '../../ci/gitea/read-gitea-event.ts';
import { readGithubEvent } from '../../ci/github/read-github-event.ts';
import { readJobHook } from '../../ci/gitlab/read-job-hook.ts';
import { readPollRequest } from '../../ci/jenkins/read-poll-request.ts';
import { readStandardEvent } from '../../ci/standard-webhooks/read-standard-event.ts';
import type { CiProvider } from '../../core/ci/ci-system-config.ts';
import { actsIn } from '../../core/ci/join-of.ts';
import { seenJobOf } from '../../core/job/seen-job.ts';
import { noteIfKnown } from '../../logic/jobs/handle-job.ts';
import type { JobDeps } from '../../logic/jobs/job-deps.ts';
import type { NamedJob } from '../../ports/ci-system.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { PollTurns } from '../../ports/poll-turns.ts';
import type { SigningSecrets } from '../../ports/secrets.ts';
import { type HttpAnswer, jsonAnswer } from '../../runtime/http/answer.ts';
import type { PollAnswer } from '../../runtime/http/answers.ts';
import { Problem } from '../../runtime/http/problem.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { answerCompleted, answerQueued, answerRegisteredJob } from './answer-job.ts';
import { ignored } from './ignored.ts';

interface WebhookDeps extends JobDeps {
  invokeLater: InvokeLater<'clean-up' | 'publish-events' | 'poll-ci'>;
  pollTurns: PollTurns;
  /** Reads a CI system's webhook secret, by its id. */
  secretsOf: (id: string) => SigningSecrets;
}

const eventReaders: Readonly<Record<CiProvider, EventReader>> = {
  github: readGithubEvent,
  gitea: readGiteaEvent,
  gitlab: readJobHook,
  jenkins: readPollRequest,
  buildkite: readBuildkiteHook,
  forgejo: readForgejoHook,
  standard: readStandardEvent,
};

/**
 * Answers `POST /webhooks/{name}`. Checks the signature before it parses anything of the body.
 *
 * @throws Problem for a request that is no signed event; TransientError when a service did not answer: the CI system shows
 *   the delivery as failed, and a redelivery is safe
 */
export async function answerWebhook(deps: WebhookDeps, request: HttpRequest): Promise<HttpAnswer> {
  const system = deps.ciSystems.find(({ name }) => name === request.parameters['name']);
  if (system === undefined) {
    throw new Problem('ci-system-unknown', { detail: 'davit.yaml has no CI system of this name.' });
  }
  if (system.webhookSecret === undefined) {
    const detail = `davit asks ${system.name} for its jobs: davit.yaml names no webhookSecret for it.`;
    throw new Problem('webhooks-not-taken', { detail });
  }
  const event = await eventReaders[system.provider](deps.secretsOf(system.webhookSecret), request);
  if ('ignored' in event) return ignored(event.ignored);
  if ('poll' in event) {
    await requestPoll(deps, system.name, event.only);
    const answer: PollAnswer = { polls: system.name };
    return jsonAnswer(202, answer);
  }
  const { job, reason } = seenJobOf(system, event.job);
  // An error would be delivered again and again: the sender of the event did not choose the job's labels.
  if (job === undefined) return ignored(reason, 'NoProfile');
  if (actsIn(system)) return answerRegisteredJob(deps, system, job, request.receivedAtEpochMs);
  switch (job.status) {
    case 'queued':
      return answerQueued(deps, system, job);
    case 'completed':
      return answerCompleted(deps, system, job);
    case 'waiting':
    case 'in_progress':
      await noteIfKnown(deps, job);
      return ignored(`davit does nothing for workflow_job ${job.status}`);
  }
}

/** Asks for the job that the event names, or for a poll, unless one that begins later sees what the event tells. */
async function requestPoll(
  { invokeLater, pollTurns, nowEpochMs }: WebhookDeps,
  ciSystem: string,
  job: NamedJob | undefined,
): Promise<void> {
  if (job !== undefined) return invokeLater('poll-ci', { ciSystem, job });
  const atEpochMs = await pollTurns.take(ciSystem, nowEpochMs());
  if (atEpochMs !== undefined) await invokeLater('poll-ci', { ciSystem, atEpochMs });
}
