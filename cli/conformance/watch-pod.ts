import { ApiException } from '@kubernetes/client-node';
import { isConnectionError } from '../../adapters/kubernetes/connection-error.ts';
import { answerOf } from '../../adapters/kubernetes/to-davit-error.ts';
import { isForbiddenUser } from '../../core/pod/judge-api-error.ts';
import * as z from '../../core/zod.ts';
import type { CheckContext } from './check.ts';

const WatchEvent = z.object({ type: z.string(), object: z.unknown() });
/** One event of a watch: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, and its object. */
export type WatchEvent = z.infer<typeof WatchEvent>;

/**
 * Watches one Pod as davit does, until the watch ends or the time to wait is over. A refusal is an event ERROR, as from a
 * server that refuses later.
 *
 * @param resourceVersion where the watch starts
 * @throws ApiException when the caller lacks the right to watch
 */
export async function* watchPod(
  { connection, namespace, waitMs, signal }: CheckContext,
  name: string,
  resourceVersion: string,
): AsyncGenerator<WatchEvent> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const query = { watch: 'true', fieldSelector: `metadata.name=${name}`, resourceVersion, allowWatchBookmarks: 'true' };
  const over = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  try {
    for await (const line of await connection.stream(path, query, over)) yield WatchEvent.parse(JSON.parse(line));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiException && !isForbiddenUser(answerOf(error))) yield refusalEvent(error);
    else if (!isConnectionError(error)) throw error;
  }
}

function refusalEvent(error: ApiException<unknown>): WatchEvent {
  const { httpStatus: code, message } = answerOf(error);
  return { type: 'ERROR', object: { code, message } };
}

const Status = z.object({ code: z.optional(z.int()), message: z.optional(z.string()) });

/** Reads the Status in an event of type ERROR. */
export function statusIn({ object }: WatchEvent): { code: number | undefined; words: string } {
  const { code, message = 'no words' } = Status.safeParse(object).data ?? {};
  return { code, words: `${code ?? 'no code'} ${message}` };
}
