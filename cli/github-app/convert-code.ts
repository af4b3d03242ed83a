import { request as octokitRequest } from '@octokit/request';
import * as z from 'zod';

const App = z.object({
  id: z.int(),
  name: z.string(),
  html_url: z.url(),
  pem: z.string().startsWith('-----BEGIN '),
  webhook_secret: z.string().min(1),
});

/** An App that GitHub has made. `pem` and `webhook_secret` are secrets that GitHub shows this once. */
export type MadeApp = z.infer<typeof App>;

/** GitHub did not exchange a code. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

/** Octokit's RequestError. It has a response, unless there was none. */
const Failure = z.looseObject({ status: z.int(), message: z.string(), response: z.unknown() });

const timeoutMs = 30_000;

/**
 * Exchanges the code that GitHub gave the person's browser for the App.
 *
 * @throws ConversionError with GitHub's words, which have no secret in them
 * @see https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
 */
export async function convertCode(apiUrl: string, code: string): Promise<MadeApp> {
  const data = await post(apiUrl, code);
  const parsed = App.safeParse(data);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new ConversionError(`GitHub's answer has another shape: ${fields}`);
}

async function post(apiUrl: string, code: string): Promise<unknown> {
  try {
    const { data } = await octokitRequest('POST /app-manifests/{code}/conversions', {
      baseUrl: apiUrl,
      code,
      headers: { 'user-agent': 'davit' },
      request: { signal: AbortSignal.timeout(timeoutMs) },
    });
    return data;
  } catch (error) {
    throw new ConversionError(reasonOf(error), { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const failure = Failure.safeParse(error).data;
  if (failure === undefined) return `GitHub did not answer: ${String(error)}`;
  const { status, message, response } = failure;
  if (response === undefined) return `GitHub did not answer: ${message}`;
  if (status !== 404) return `GitHub answered ${status}: ${message}`;
  return 'GitHub answered 404: the code was used already, or is more than an hour old';
}
