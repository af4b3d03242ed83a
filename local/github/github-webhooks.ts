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

const payloads = z
  .object({
    repository: z.looseObject({ owner: z.looseObject({}) }),
    organization: z.looseObject({}),
    sender: z.looseObject({}),
    queued: z.looseObject({ run_attempt: z.int() }),
    in_progress: z.looseObject({}),
    completed: z.looseObject({}),
  })
  .parse(examples);

/** Returns a real payload with the job's own values. */
function payloadOf({ id, labels, repository: where, runner, fields }: DeliveredJob, action: JobAction): object {
  const { queued, repository, organization, sender } = payloads;
  const by = action === 'queued' ? {} : { runner_id: runner?.id ?? null, runner_name: runner?.name ?? null };
  const job = { ...queued, ...payloads[action], id, labels, run_attempt: queued.run_attempt, ...by, ...fields };
  if (where === undefined) return { action, workflow_job: job, repository, organization, sender };
  const { owner, name } = where;
  return {
    action,
    workflow_job: job,
    repository: {
      ...repository,
      id: where.id,
      name,
      full_name: `${owner}/${name}`,
      owner: { ...repository.owner, login: owner },
    },
    organization: { ...organization, login: owner },
    sender,
  };
}
