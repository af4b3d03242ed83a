import { verify } from '@octokit/webhooks-methods';
import type { WebhookConfig } from '../domain/config.ts';
import type { HttpAnswer } from '../http/answer.ts';
import { Problem } from '../http/problem.ts';
import { checkInput, decodeText, parseJson } from '../http/read-json.ts';
import type { HttpRequest } from '../http/request.ts';
import type { SigningSecret, SigningSecrets } from '../ports/signing-secrets.ts';
import { verifySignature } from '../signing/verify-signature.ts';
import * as z from '../zod.ts';
import type { WorkflowJobDeps } from './answer-workflow-job.ts';
import { answerCompleted, answerQueued } from './answer-workflow-job.ts';
import { ignored } from './ignored.ts';
import { WorkflowJobEvent } from './workflow-job.ts';

/** What the webhook function needs. */
export interface WebhookDeps extends WorkflowJobDeps {
  webhooks: readonly WebhookConfig[];
  /** Reads a provider's webhook secret, by its id. */
  secretsOf: (id: string) => SigningSecrets;
}

/**
 * Answers `POST /webhooks/{provider}`. Checks the signature before it parses anything of the body.
 *
 * @throws Problem for a request that is no signed event; TransientError when a service did not answer: GitHub shows the
 *   delivery as failed, and a redelivery is safe
 */
export async function answerWebhook(deps: WebhookDeps, request: HttpRequest): Promise<HttpAnswer> {
  const webhook = deps.webhooks.find(({ provider }) => provider === request.parameters['provider']);
  if (webhook === undefined) {
    throw new Problem('provider-unknown', { detail: 'davit.yaml has no webhooks of this provider.' });
  }
  // Decoding is lossless, so the signature of the text is the signature of the bytes.
  const text = decodeText(request.body);
  await checkSignature(deps.secretsOf(webhook.secret), text, request.headers['x-hub-signature-256']);
  const event = request.headers['x-github-event'];
  if (event === undefined || !/^[a-z_]+$/.test(event)) {
    throw new Problem('request-invalid', { detail: 'In the headers: X-GitHub-Event: expected the name of one event' });
  }
  const payload = parseJson(text);
  return event === 'workflow_job' ? answerWorkflowJob(deps, payload) : ignored(`nothing is done for ${event} events`);
}

async function answerWorkflowJob(deps: WorkflowJobDeps, payload: unknown): Promise<HttpAnswer> {
  const { action } = checkInput(z.object({ action: z.string() }), payload, 'body');
  switch (action) {
    case 'queued':
      return answerQueued(deps, checkInput(WorkflowJobEvent, payload, 'body'));
    case 'completed':
      return answerCompleted(deps, checkInput(WorkflowJobEvent, payload, 'body'));
    default:
      return ignored(`nothing is done for workflow_job ${action.slice(0, 40)}`);
  }
}

/**
 * Refuses a body that no accepted version of the webhook's secret has signed.
 *
 * @throws Problem `signature-refused`
 * @see https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 */
export async function checkSignature(
  secrets: SigningSecrets,
  text: string,
  signature: string | undefined,
): Promise<void> {
  if (signature !== undefined && signature !== '') {
    const by = async (secret: SigningSecret) => ((await verify(secret.text, text, signature)) ? secret : undefined);
    if ((await verifySignature(secrets, { by })) !== undefined) return;
  }
  throw new Problem('signature-refused', {
    detail: 'X-Hub-Signature-256 is missing, or is not the HMAC-SHA256 of the body by the secret of davit.yaml.',
  });
}
