import type { ReadJob } from '../core/job/job-record.ts';
import type { NamedJob } from '../ports/ci-system.ts';
import type { SigningSecrets } from '../ports/secrets.ts';
import type { HttpRequest } from '../runtime/http/request.ts';

/**
 * The content of a delivery: a job, the reason why davit ignores it, or a request to poll the CI system now, for the
 * one job that the event names, if it does.
 */
export type ReadEvent = { job: ReadJob } | { ignored: string } | { poll: true; only?: NamedJob };

/**
 * Reads a CI system's event. Checks the signature over the raw bytes before it parses anything of them.
 *
 * @throws Problem `signature-refused`, `body-malformed`, `request-invalid`; TransientError when the secret cannot be read
 */
export type EventReader = (
  secrets: SigningSecrets,
  request: Pick<HttpRequest, 'headers' | 'body'>,
) => Promise<ReadEvent>;
