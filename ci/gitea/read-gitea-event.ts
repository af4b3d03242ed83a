import { mostAttempts } from '../../core/launch/names.ts';
import { decodeText } from '../../runtime/http/read-json.ts';
import { checkSignature } from '../../runtime/signing/check-signature.ts';
import type { EventReader } from '../event-reader.ts';
import { readWorkflowJob } from '../workflow-job.ts';
import { giteaAttempt } from './gitea-attempt.ts';

/**
 * Reads an event of Gitea. It has Gitea's own headers, and the same under GitHub's names.
 *
 * @see https://docs.gitea.com/usage/webhooks
 */
export const readGiteaEvent: EventReader = async (secrets, { headers, body }) => {
  const text = decodeText(body);
  const own = headers['x-gitea-signature'];
  const signature = own === undefined ? headers['x-hub-signature-256'] : `sha256=${own}`;
  await checkSignature(secrets, text, signature, 'X-Gitea-Signature');
  const event = { header: 'X-Gitea-Event', name: headers['x-gitea-event'] ?? headers['x-github-event'] };
  return readWorkflowJob(text, event, (job) => {
    const attempt = Math.min(giteaAttempt(job.run_attempt, job.runner_id), mostAttempts);
    // Gitea sends when the job was created, and a further attempt was queued later.
    return { attempt, queuedAtEpochMs: attempt === 1 ? job.created_at : undefined };
  });
};
