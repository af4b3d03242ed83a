import { randomUUID } from 'node:crypto';
import examples from '@octokit/webhooks-examples' with { type: 'json' };
import { sign } from '@octokit/webhooks-methods';
import * as z from 'zod';

/** A job of the demo's repository: one run of a real payload. */
export interface GithubJob {
  id: number;
  labels: readonly string[];
}

/** davit's answer to a delivery. */
export interface DeliveryAnswer {
  status: number;
  body: unknown;
}

/** Delivers webhooks as GitHub does, with real `workflow_job` payloads and a signature over their bytes. */
export interface GithubServer {
  deliver(job: GithubJob, action: 'queued' | 'completed'): Promise<DeliveryAnswer>;
}

/**
 * Makes the demo's GitHub.
 *
 * @param webhookUrl davit's `/webhooks/github`
 * @see https://github.com/octokit/webhooks
 */
export function createGithubServer(webhookUrl: string, secret: string): GithubServer {
  const payloads = { queued: exampleOf('queued'), completed: exampleOf('completed') };
  return {
    deliver: async (job, action) => {
      const body = JSON.stringify(payloadOf(payloads, job, action));
      const answer = await fetch(webhookUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'GitHub-Hookshot/demo',
          'x-github-event': 'workflow_job',
          'x-github-delivery': randomUUID(),
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
  repository: z.looseObject({}),
  workflow_job: z.looseObject({ run_attempt: z.int() }),
});
type Payloads = Record<'queued' | 'completed', z.infer<typeof Payload>>;
const Examples = z.array(z.object({ name: z.string(), examples: z.array(z.unknown()) }));

/** Returns a real payload with the job's own id and labels. */
function payloadOf(payloads: Payloads, { id, labels }: GithubJob, action: keyof Payloads): object {
  const { queued } = payloads;
  const example = payloads[action];
  const { run_attempt } = queued.workflow_job;
  const job = { ...example.workflow_job, id, labels, run_attempt };
  return { ...example, repository: queued.repository, workflow_job: job };
}

function exampleOf(action: 'queued' | 'completed'): z.infer<typeof Payload> {
  const jobs = Examples.parse(examples).find(({ name }) => name === 'workflow_job')?.examples ?? [];
  const parsed = jobs.flatMap((example) => Payload.safeParse(example).data ?? []);
  const found = parsed.find((payload) => payload.action === action);
  if (found === undefined) throw new Error(`@octokit/webhooks-examples has no workflow_job ${action}`);
  return found;
}
