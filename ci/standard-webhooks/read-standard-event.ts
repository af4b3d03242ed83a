import type { RepositoryName } from '../../core/ci/ci-scope.ts';
import type { JobStatus, ReadJob } from '../../core/job/job-record.ts';
import { mostAttempts } from '../../core/launch/names.ts';
import { present } from '../../core/present.ts';
import { wellFormed } from '../../core/well-formed.ts';
import * as z from '../../core/zod.ts';
import type { SigningSecret, SigningSecrets } from '../../ports/secrets.ts';
import { Problem } from '../../runtime/http/problem.ts';
import { checkInput, decodeText, parseJson } from '../../runtime/http/read-json.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { isStandardSignature } from '../../runtime/signing/is-standard-signature.ts';
import { verifySignature } from '../../runtime/signing/verify-signature.ts';
import type { EventReader } from '../event-reader.ts';

const statuses: ReadonlyMap<string, JobStatus> = new Map([
  ['job.queued', 'queued'],
  ['job.started', 'in_progress'],
  ['job.completed', 'completed'],
]);

const Text = z.string().check(z.minLength(1), z.maxLength(200), wellFormed);

/** A part of a key, which the tables take up to a length in bytes, of three characters each. */
const KeyText = Text.check(
  z.refine((text) => Buffer.byteLength(text) <= 256, { error: 'expected at most 256 bytes of UTF-8' }),
);

/** The body of davit's own webhook events, signed as Standard Webhooks specifies. */
export const StandardEvent = z.object({
  type: z.string(),
  data: z.object({
    /** Unique in its repository. */
    id: z.union([KeyText, z.int()]),
    attempt: z.withDefault(z.int().check(z.gte(1), z.lte(mostAttempts)), 1),
    labels: z.array(z.string()),
    name: z.withDefault(Text, 'job'),
    repository: z.optional(KeyText),
    runner: z.optional(z.object({ id: z.int(), name: Text })),
    url: z.optional(z.url({ protocol: /^https?$/ }).check(z.maxLength(2048), wellFormed)),
    conclusion: z.optional(Text),
  }),
});
export type StandardEvent = z.infer<typeof StandardEvent>;

/**
 * Reads an event of any system that signs this body as Standard Webhooks specifies. Refuses a signature that is more than
 * five minutes old.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const readStandardEvent: EventReader = async (secrets, { headers, body }) => {
  const text = decodeText(body);
  await checkStandardSignature(secrets, text, headers);
  const payload = parseJson(text);
  const { type } = checkInput(z.object({ type: z.string() }), payload, 'body');
  const status = statuses.get(type);
  if (status === undefined) return { ignored: `davit does nothing for ${type.slice(0, 40)} events` };
  return { job: jobOf(status, checkInput(StandardEvent, payload, 'body')) };
};

async function checkStandardSignature(
  secrets: SigningSecrets,
  text: string,
  headers: HttpRequest['headers'],
): Promise<void> {
  const isSigned = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].every((name) => headers[name]);
  const by = async (secret: SigningSecret) => (isStandardSignature(secret.text, text, headers) ? secret : undefined);
  if (isSigned && (await verifySignature(secrets, { by })) !== undefined) return;
  throw new Problem('signature-refused', {
    detail:
      'webhook-id, webhook-timestamp or webhook-signature is missing, or they are more than 5 minutes off, or not made with the secret of davit.yaml.',
  });
}

function jobOf(status: JobStatus, { data }: StandardEvent): ReadJob {
  const { id, attempt, labels, name, repository, runner, url, conclusion } = data;
  return {
    repositoryId: repository ?? '-',
    jobId: `${id}`,
    attempt,
    status,
    repository: nameOf(repository),
    name,
    labels,
    ...present({ runner, url, conclusion }),
  };
}

/** The owner ends at the first slash. */
function nameOf(text: string | undefined): RepositoryName {
  const [, owner = '-', name = text ?? '-'] = /^([^/]+)\/(.+)$/s.exec(text ?? '') ?? [];
  return { owner, name };
}
