import { mostAttempts } from '../domain/names.ts';
import { decodeText } from '../http/read-json.ts';
import { checkSignature } from './check-signature.ts';
import type { EventReader } from './event-reader.ts';
import { readWorkflowJob, type WorkflowJobEvent } from './workflow-job.ts';

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
  return readWorkflowJob(text, event, attemptOf);
};

/**
 * Up to Gitea 1.26, claiming a job raises its attempt: it is one less before a runner has the job, and in the end of a job
 * that never had one. So all events of one attempt have the same number here.
 *
 * From Gitea 1.27 on, a re-run is a new job, and claiming raises nothing: `queued` then says the attempt itself. An event
 * does not say which version sent it.
 */
function attemptOf({ run_attempt: attempt, runner_id: runnerId }: WorkflowJobEvent['workflow_job']): number {
  return runnerId ? attempt : Math.min(attempt + 1, mostAttempts);
}
