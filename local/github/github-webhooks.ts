import { randomUUID } from 'node:crypto';
import { sign } from '@octokit/webhooks-methods';
import * as z from 'zod';
import examples from './webhooks-examples.json' with { type: 'json' };

/** A job for a webhook. For absent fields, the webhook has the values of GitHub's real payload. */
export interface DeliveredJob {
  id: number;
  labels: readonly string[];
  repository?: { id: number; owner: string; name: string };
  /** The runner that runs or ran it. @default the job ends in the queue */
  runner?: { id: number; name: string };
  /** Further fields of `workflow_job`. */
  fields?: Readonly<Record<string, unknown>>;
}

/** A job's fields in a webhook. */
export type JobAction = 'queued' | 'in_progress' | 'completed';

/** davit's answer to a delivery. */
export interface DeliveryAnswer {
  status: number;
  body: unknown;
}

/** Delivers webhooks as GitHub does, with real `workflow_job` payloads and a signature over their bytes. */
export interface GithubWebhooks {
  /** @param guid the same for each attempt of a delivery @default a new one */
  deliver(job: DeliveredJob, action: JobAction, guid?: string): Promise<DeliveryAnswer>;
}

/**
 * Makes the webhooks of a GitHub.
 *
 * @param webhookUrl davit's `/webhooks/github`
 * @see https://github.com/octokit/webhooks
 */
export function createGithubWebhooks(webhookUrl: string, secret: string): GithubWebhooks {
  return {
    deliver: async (job, action, guid = randomUUID()) => {
      const body = JSON.stringify(payloadOf(job, action));
      const answer = await fetch(webhookUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'GitHub-Hookshot/local',
          'x-github-event': 'workflow_job',
          'x-github-delivery': guid,
          'x-hub-signature-256': await sign(secret, body),
        },
        body,
      });
      return { status: answer.status, body: await answer.json() };
    },
  };
}

const Payload = z.looseObject({
  action: z.string(),
  repository: z.looseObject({ owner: z.looseObject({}) }),
  organization: z.looseObject({}).optional(),
  workflow_job: z.looseObject({ run_attempt: z.int() }),
});
const payloads = z.object({ queued: Payload, in_progress: Payload, completed: Payload }).parse(examples);

/** Returns a real payload with the job's own values. */
function payloadOf({ id, labels, repository, runner, fields }: DeliveredJob, action: JobAction): object {
  const { queued } = payloads;
  const example = payloads[action];
  const { run_attempt } = queued.workflow_job;
  const by = action === 'queued' ? {} : { runner_id: runner?.id ?? null, runner_name: runner?.name ?? null };
  const job = { ...example.workflow_job, id, labels, run_attempt, ...by, ...fields };
  if (repository === undefined) return { ...example, repository: queued.repository, workflow_job: job };
  const { owner, name } = repository;
  const where = { ...queued.repository, id: repository.id, name, full_name: `${owner}/${name}` };
  return {
    ...example,
    repository: { ...where, owner: { ...queued.repository.owner, login: owner } },
    organization: { ...payloads.completed.organization, login: owner },
    workflow_job: job,
  };
}
