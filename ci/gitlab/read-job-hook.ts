import { jsonIn } from '../../core/json-in.ts';
import * as z from '../../core/zod.ts';
import type { SigningSecret } from '../../ports/secrets.ts';
import { Problem } from '../../runtime/http/problem.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { isSameSecret } from '../../runtime/signing/is-same-secret.ts';
import { isStandardSignature } from '../../runtime/signing/is-standard-signature.ts';
import { verifySignature } from '../../runtime/signing/verify-signature.ts';
import type { EventReader, ReadEvent } from '../event-reader.ts';

/** The part of a job's event that davit reads. @see lib/gitlab/data_builder/build.rb of GitLab */
const JobHook = z.object({
  object_kind: z.literal('build'),
  build_id: z.int().check(z.positive()),
  build_status: z.string(),
  project_id: z.int().check(z.positive()),
});

/** A job has these before it waits for a runner. */
const early: ReadonlySet<string> = new Set(['created', 'preparing', 'waiting_for_resource', 'manual', 'scheduled']);

/**
 * Reads a webhook of GitLab as a request to ask for its job now: the event has no tags, and says nothing that GitLab does
 * not say again. Never refuses an authentic one, whatever its body is: GitLab disables a webhook after four refusals.
 *
 * @see https://docs.gitlab.com/user/project/integrations/webhook_events/#job-events
 */
export const readJobHook: EventReader = async (secrets, { headers, body }) => {
  const by = async (secret: SigningSecret) => (isMadeBy(secret, headers, body) ? secret : undefined);
  const isAuthenticated = Boolean(headers['x-gitlab-token'] || headers['webhook-signature']);
  if (isAuthenticated && (await verifySignature(secrets, { by })) !== undefined) {
    return eventOf(headers['x-gitlab-event'] ?? '', Buffer.from(body).toString('utf8'));
  }
  throw new Problem('signature-refused', {
    detail:
      'X-Gitlab-Token is missing or is not the secret of davit.yaml; or webhook-signature is not made with it, or is more than 5 minutes off.',
  });
};

/** A webhook with a signing token is not believed for its secret token: that is the same in each request. */
function isMadeBy({ text }: SigningSecret, headers: HttpRequest['headers'], body: HttpRequest['body']): boolean {
  const isSigned = headers['webhook-signature'] !== undefined && text.startsWith('whsec_');
  return isSigned
    ? isStandardSignature(text, Buffer.from(body), headers)
    : isSameSecret(headers['x-gitlab-token'] ?? '', text);
}

function eventOf(event: string, text: string): ReadEvent {
  if (event !== 'Job Hook') return { ignored: `davit does nothing for ${event.slice(0, 40)} events` };
  const { success, data } = z.safeParse(JobHook, jsonIn(text));
  if (!success) return { ignored: 'the body is not that of a job event: has the webhook a template of its own?' };
  const { build_id: jobId, build_status: status, project_id: repositoryId } = data;
  if (early.has(status)) return { ignored: `the job is ${status}: it does not wait for a runner yet` };
  return { poll: true, only: { repositoryId, jobId } };
}
