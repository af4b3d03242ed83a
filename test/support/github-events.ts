import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sign } from '@octokit/webhooks-methods';
import * as z from 'zod';
import type { EventOptions } from './http-event.ts';

/** The secret that tests sign with. */
export const webhookSecret = 'a secret of a webhook';

const Job = z.looseObject({
  action: z.string(),
  repository: z.looseObject({ id: z.int() }),
  workflow_job: z.looseObject({ id: z.int(), labels: z.array(z.string()), conclusion: z.string().nullable() }),
});
/** A complete `workflow_job` payload. */
export type Job = z.infer<typeof Job>;

const Examples = z.array(z.object({ name: z.string(), examples: z.array(z.unknown()) }));
const examplesFile = createRequire(import.meta.url).resolve('@octokit/webhooks-examples');
const jobs = Examples.parse(JSON.parse(readFileSync(examplesFile, 'utf8')))
  .filter(({ name }) => name === 'workflow_job')
  .flatMap(({ examples }) => examples)
  .flatMap((payload) => Job.safeParse(payload).data ?? []);

/** Finds a real `workflow_job` payload among GitHub's examples. @throws Error when there is none */
export function exampleJob(action: string, label: string): Job {
  const found = jobs.find((job) => job.action === action && job.workflow_job.labels.includes(label));
  if (found === undefined) throw new Error(`there is no example of workflow_job ${action} for ${label}`);
  return found;
}

/** Makes the request with which GitHub delivers a payload. */
export async function delivery(payload: unknown, headers: Record<string, string> = {}): Promise<EventOptions> {
  return deliveryOfText(JSON.stringify(payload), headers);
}

/** Makes a signed delivery with any body. */
export async function deliveryOfText(text: string, headers: Record<string, string> = {}): Promise<EventOptions> {
  return {
    method: 'POST',
    path: '/webhooks/github',
    parameters: { name: 'github' },
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'workflow_job',
      'x-hub-signature-256': await sign(webhookSecret, text),
      ...headers,
    },
    body: text,
  };
}
