import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, answered } from '../api/client.ts';
import { CliError } from '../cli-error.ts';
import type { Launch } from '../view/timeline.ts';
import { resolveLaunch } from './resolve-launch.ts';

const pauseMs = 1000;

/**
 * Yields a launch, found as `resolveLaunch` does, whenever it has changed, at most once a second, until the caller stops. After the first answer, keeps
 * asking even while davit does not answer.
 *
 * @throws CliError when davit does not answer at first, or there is no such launch
 */
export async function* followLaunch(api: ApiClient, text: string, signal: AbortSignal): AsyncGenerator<Launch> {
  let launchId = text;
  let etag: string | undefined;
  let isKnown = false;
  for (;;) {
    const header = etag === undefined ? {} : { 'If-None-Match': etag };
    const asked = api.GET('/launches/{launchId}', { params: { path: { launchId }, header }, signal });
    const answer = await asked.catch((error: unknown) => {
      if (isKnown && error instanceof CliError && error.reason === 'unreachable') return undefined;
      throw error;
    });
    if (answer?.response.status === 404 && launchId === text && !isKnown) {
      ({ launchId } = await resolveLaunch(api, text));
      continue;
    }
    if (answer !== undefined && !isToRepeat(answer.response, isKnown)) {
      isKnown = true;
      if (answer.response.status !== 304) {
        etag = answer.response.headers.get('etag') ?? undefined;
        yield answered(answer, 'launchId');
      }
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

function isToRepeat({ status }: Response, isKnown: boolean): boolean {
  return status === 503 || (isKnown && (status >= 500 || status === 429));
}

/**
 * Turns the end of the waiting time, and Ctrl-C, into errors with their own exit codes.
 *
 * @param interrupted the terminal's signal
 */
export function waitError(error: unknown, what: string, interrupted: AbortSignal): unknown {
  if (!(error instanceof Error) || !['AbortError', 'TimeoutError'].includes(error.name)) return error;
  if (interrupted.aborted) return new CliError('interrupted', 'interrupted', 'stopped; the launch continues');
  return new CliError('timeout', 'timeout', `${what} has not reached that state in time`);
}
