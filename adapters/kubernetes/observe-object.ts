import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import type { ObserveOptions } from '../../ports/cluster.ts';
import { type WatchConnection, watchEvents } from './watch-events.ts';

/** A change that a watch tells of: the object as it is now, that it is gone, or that this one is gone or has lost its label. */
export type Change = { type: 'seen'; object: unknown } | { type: 'gone' } | { type: 'unlisted'; uid: string };

/** Watches an object from a version on. Ends with the watch, for any reason except a refusal. */
export type WatchObject = (name: string, resourceVersion: string, over: AbortSignal) => AsyncIterable<Change>;

/** One object to be observed. */
export interface Observed<View> {
  name: string;
  /** Reads the present object; undefined when there is none. */
  read: () => Promise<View | undefined>;
  /** Checks what a watch brought. */
  parse: (object: unknown) => View;
  watch: WatchObject;
  /** The pause after a watch that ended, in milliseconds. */
  pauseMs: number;
}

/**
 * Yields the present object and then each change, undefined once it is gone, until the time is up. It is normal that a
 * watch closes, goes silent, breaks, or gets 410 Gone: this function then reads the object once and watches again.
 *
 * @throws what `read` throws, and ApiException when a watch is refused for another reason than its age
 */
export async function* observeObject<View extends { metadata: { uid: string; resourceVersion: string } }>(
  { name, read, parse, watch, pauseMs }: Observed<View>,
  { since, forMs, signal }: ObserveOptions,
): AsyncIterable<View | undefined> {
  const over = AbortSignal.any([AbortSignal.timeout(forMs), ...(signal ? [signal] : [])]);
  let version = since;
  do {
    if (version === undefined) {
      const view = await read();
      yield view;
      if (view === undefined) return;
      version = view.metadata.resourceVersion;
    }
    let hasToRead = false;
    for await (const change of watch(name, version, over)) {
      if (change.type === 'unlisted') hasToRead = (await read())?.metadata.uid === change.uid;
      if (hasToRead) break;
      yield change.type === 'seen' ? parse(change.object) : undefined;
      if (change.type !== 'seen') return;
    }
    version = undefined;
    if (!hasToRead) await sleepUnlessAborted(pauseMs, over);
  } while (!over.aborted);
}

/** Watches each object by itself: for a function, which observes one. */
export function watchAlone(connection: WatchConnection, path: string): WatchObject {
  return async function* (name, resourceVersion, over) {
    const query = { fieldSelector: `metadata.name=${name}`, resourceVersion };
    for await (const { type, object } of watchEvents(connection, path, query, over)) {
      if (type === 'DELETED') yield { type: 'gone' };
      else if (type !== 'BOOKMARK') yield { type: 'seen', object };
    }
  };
}
