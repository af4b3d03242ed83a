import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, answered } from '../api/client.ts';
import { CliError } from '../cli-error.ts';
import type { Launch } from '../view/timeline.ts';

const pauseMs = 1000;

/** Shows one launch. @throws CliError `launch-unknown` */
export async function showLaunch(api: ApiClient, launchId: string): Promise<Launch> {
  return answered(await api.GET('/launches/{launchId}', { params: { path: { launchId } } }));
}

/**
 * Yields a launch whenever it has changed, at most once a second, until the caller stops. Asks again if davit does not
 * answer.
 */
export async function* followLaunch(api: ApiClient, launchId: string, signal: AbortSignal): AsyncGenerator<Launch> {
  let etag: string | undefined;
  for (;;) {
    const header = etag === undefined ? {} : { 'If-None-Match': etag };
    const answer = await api.GET('/launches/{launchId}', { params: { path: { launchId }, header }, signal });
    const isChanged = answer.response.status !== 304;
    if (isChanged && answer.response.status !== 503) {
      etag = answer.response.headers.get('etag') ?? undefined;
      yield answered(answer);
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

/**
 * Turns the end of the waiting time, and Ctrl-C, into errors with their own exit codes.
 *
 * @param interrupted the terminal's signal
 */
export function waitError(error: unknown, what: string, interrupted: AbortSignal): unknown {
  if (!(error instanceof Error) || !['AbortError', 'TimeoutError'].includes(error.name)) return error;
  if (interrupted.aborted) return new CliError('interrupted', 'interrupted', 'stopped; the launch goes on');
  return new CliError('timeout', 'timeout', `${what} has not come to that in time`);
}
