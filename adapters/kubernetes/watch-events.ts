import { ApiException } from '@kubernetes/client-node';
import * as z from '../../core/zod.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { isConnectionError } from './connection-error.ts';

/** The part of a connection that a watch needs. */
export type WatchConnection = Pick<ClusterConnection, 'patience' | 'stream'>;

const WatchEvent = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.unknown(),
});
/** One event of a watch: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, and its object. */
export type WatchEvent = z.infer<typeof WatchEvent>;

/** Where a watch begins, and which objects it tells of. */
export interface WatchQuery {
  resourceVersion: string;
  fieldSelector?: string;
  labelSelector?: string;
}

/**
 * Yields a watch's events. Ends with the watch: when the server closes it, when it breaks, is silent for too long or too old,
 * and when `over` is aborted. The next read of an object reports the trouble, if there is any.
 *
 * @param path the collection's: `/api/v1/namespaces/x/pods`
 * @throws ApiException for any other refusal, ZodError for what is no event
 */
export async function* watchEvents(
  { patience, stream }: WatchConnection,
  path: string,
  query: WatchQuery,
  over: AbortSignal,
): AsyncIterable<WatchEvent> {
  const silence = new AbortController();
  const silent = setTimeout(() => silence.abort(), patience.silenceMs);
  try {
    const asked = { watch: 'true', ...query, allowWatchBookmarks: 'true' };
    for await (const line of await stream(path, asked, AbortSignal.any([over, silence.signal]))) {
      silent.refresh();
      const event = WatchEvent.parse(JSON.parse(line));
      if (event.type === 'ERROR') return;
      yield event;
    }
  } catch (error) {
    if (!isBrokenStream(error)) throw error;
  } finally {
    clearTimeout(silent);
  }
}

/** The stream was cut, perhaps in the middle of a line, or is too old. */
function isBrokenStream(error: unknown): boolean {
  if (error instanceof ApiException) return error.code === 410;
  return isConnectionError(error) || error instanceof SyntaxError;
}
