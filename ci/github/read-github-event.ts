import { decodeText } from '../../runtime/http/read-json.ts';
import { checkSignature } from '../../runtime/signing/check-signature.ts';
import type { EventReader } from '../event-reader.ts';
import { readWorkflowJob } from '../workflow-job.ts';

/** Reads an event of GitHub, or of a GitHub Enterprise Server. */
export const readGithubEvent: EventReader = async (secrets, { headers, body }) => {
  // Decoding is lossless, so the signature of the text is the signature of the bytes.
  const text = decodeText(body);
  await checkSignature(secrets, text, headers['x-hub-signature-256']);
  const event = { header: 'X-GitHub-Event', name: headers['x-github-event'] };
  return readWorkflowJob(text, event, ({ run_attempt: attempt, created_at: queuedAtEpochMs }) => ({
    attempt: Math.max(1, attempt),
    queuedAtEpochMs,
  }));
};
