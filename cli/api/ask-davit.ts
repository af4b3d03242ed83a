import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';

/** The way to a davit. */
export interface Way {
  /** The HTTP API's URL, without a slash at the end. */
  url: string;
  /** Sends a request as the caller. */
  fetch: (request: Request) => Promise<Response>;
}

/** How long a request may take: API Gateway's own limit. */
const patienceMs = 30_000;

/**
 * Sends a request to davit, and reads the whole answer.
 *
 * @param interrupted ends the request when the person presses Ctrl-C
 * @param timeoutMs how long the request may take
 * @throws CliError when no answer comes in time, or the answer is not davit's; the request's own reason when its caller
 *   ends it
 */
export async function askDavit(
  { url, fetch }: Way,
  request: Request,
  interrupted?: AbortSignal,
  timeoutMs = patienceMs,
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signals = [request.signal, timeout, interrupted].filter((signal) => signal !== undefined);
  try {
    const answer = await fetch(new Request(request, { signal: AbortSignal.any(signals) }));
    const body = await answer.text();
    checkBody(url, answer, body);
    return new Response(body === '' ? null : body, { status: answer.status, headers: answer.headers });
  } catch (error) {
    if (error instanceof CliError || request.signal.aborted) throw error;
    if (interrupted?.aborted === true) {
      throw new CliError('interrupted', 'interrupted', 'stopped by Ctrl-C', undefined, error);
    }
    if (timeout.aborted) throw unanswered(url, timeoutMs, error);
    // `fetch` throws a TypeError for a broken connection, both before the answer and within it.
    const isBroken = error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message);
    throw isBroken ? unreachable(url, error) : error;
  }
}

/** Every answer of davit is JSON. A proxy's page is not, nor is an answer that was cut off. */
function checkBody(url: string, { status, headers }: Response, body: string): void {
  if (body === '') return;
  try {
    JSON.parse(body);
  } catch (error) {
    const type = headers.get('content-type') ?? 'an unknown type';
    const message = `${url} answered ${status} with ${type} that is not davit's JSON`;
    const advice = 'Is this the URL of a davit? If a proxy or a gateway is in between, look at its log.';
    throw new CliError('unreachable', 'not-davit', message, advice, error);
  }
}

function unreachable(url: string, error: unknown): CliError {
  const message = `davit cannot be reached at ${url}: ${wordsOf(error)}`;
  return new CliError('unreachable', 'unreachable', message, 'Is it running? `davit doctor` says more.', error);
}

function unanswered(url: string, timeoutMs: number, error: unknown): CliError {
  const message = `davit has not answered within ${timeoutMs / 1000} s at ${url}`;
  return new CliError('unreachable', 'unanswered', message, 'Try again; `davit doctor` says more.', error);
}
