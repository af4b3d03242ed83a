import { ApiException } from '@kubernetes/client-node';
import * as z from '../../core/zod.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import type { ObserveOptions } from '../../ports/cluster.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { isConnectionError } from './connection-error.ts';

/** The part of a connection that a watch needs. */
export type WatchConnection = Pick<ClusterConnection, 'patience' | 'stream'>;

/** One object to be observed. */
export interface Observed<View> {
  /** The collection's path: `/api/v1/namespaces/x/pods`. */
  path: string;
  name: string;
  /** Reads the present object; undefined when there is none. */
  read: () => Promise<View | undefined>;
  /** Checks what a watch brought. */
  parse: (object: unknown) => View;
}

const WatchEvent = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.unknown(),
});

/**
 * Yields the present object and then each change, undefined once it is gone, until the time is up. It is normal that a
 * watch closes, goes silent, breaks, or gets 410 Gone: this function then reads the object once and watches again.
 *
 * @throws what `read` throws, and ApiException when a watch is refused for another reason than its age
 */
export async function* observeObject<View extends { metadata: { resourceVersion: string } }>(
  connection: WatchConnection,
  observed: Observed<View>,
  { since, forMs, signal }: ObserveOptions,
): AsyncIterable<View | undefined> {
  const signals = [AbortSignal.timeout(forMs), ...(signal ? [signal] : [])];
  const over = AbortSignal.any(signals);
  let version = since;
  do {
    if (version === undefined) {
      const view = await observed.read();
      yield view;
      if (view === undefined) return;
      version = view.metadata.resourceVersion;
    }
    for await (const event of watchOnce(connection, observed, version, over)) {
      yield event.type === 'seen' ? event.view : undefined;
      if (event.type === 'gone') return;
    }
    version = undefined;
    await sleepUnlessAborted(connection.patience.pauseMs, over);
  } while (!over.aborted);
}

type Change<View> = { type: 'seen'; view: View } | { type: 'gone' };

/** Ends with the watch, for any reason except a refusal. */
async function* watchOnce<View>(
  connection: WatchConnection,
  { path, name, parse }: Observed<View>,
  resourceVersion: string,
  over: AbortSignal,
): AsyncIterable<Change<View>> {
  const silence = new AbortController();
  const silent = setTimeout(() => silence.abort(), connection.patience.silenceMs);
  const query = {
    watch: 'true',
    fieldSelector: `metadata.name=${name}`,
    resourceVersion,
    allowWatchBookmarks: 'true',
  };
  try {
    for await (const line of await connection.stream(path, query, AbortSignal.any([over, silence.signal]))) {
      silent.refresh();
      const { type, object } = WatchEvent.parse(JSON.parse(line));
      if (type === 'ERROR') return;
      if (type === 'DELETED') yield { type: 'gone' };
      else if (type !== 'BOOKMARK') yield { type: 'seen', view: parse(object) };
    }
  } catch (error) {
    if (!isBrokenStream(error)) throw error;
  } finally {
    clearTimeout(silent);
  }
}

/**
 * The stream was cut, perhaps in the middle of a line, or is too old. The next read reports the trouble, if there is any.
 */
function isBrokenStream(error: unknown): boolean {
  if (error instanceof ApiException) return error.code === 410;
  return isConnectionError(error) || error instanceof SyntaxError;
}
