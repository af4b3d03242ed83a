import { sign } from '@octokit/webhooks-methods';
import * as z from 'zod';
import type { Runtime } from '../../local/runtime/start-runtime.ts';
import type { ApiAnswer } from './launches-client.ts';

/** One webhook delivery from GitHub. A redelivery has the same bytes and the same id. */
export interface Delivery {
  id: string;
  event: string;
  payload: object;
}

const Body = z.record(z.string(), z.unknown());

/** Sends a delivery to davit, signed as GitHub signs it. */
export async function deliver(runtime: Runtime, { id, event, payload }: Delivery): Promise<ApiAnswer> {
  const body = JSON.stringify(payload);
  const answer = await fetch(`${runtime.url}/webhooks/github`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': id,
      'x-hub-signature-256': await sign(await runtime.webhookSecret('github'), body),
    },
    body,
  });
  return { status: answer.status, body: Body.parse(await answer.json()) };
}
