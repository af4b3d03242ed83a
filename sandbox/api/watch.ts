import type { ServerResponse } from 'node:http';
import type { KubeObject } from '../cluster-store.ts';
import type { LoggedChange } from '../store/change-log.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { expired, type Status, StatusError } from '../store/status-error.ts';
import type { StreamAnswer } from './answer.ts';
import { oneOf, type Representation } from './representation.ts';
import type { ResourceRoute } from './route.ts';
import { querySelector, type Selector } from './selectors.ts';
import { type WatchOptions, watchOptions } from './watch-options.ts';

/** The faults of a watch. */
export interface WatchFaults {
  /** The time after which the connection breaks. */
  closeAfterMs?: number;
  /** The time after which the watch falls silent. */
  silenceAfterMs?: number;
  /** Whether the watch reports that its resourceVersion is too old. */
  isExpired?: boolean;
}

/** The dependencies of a watch besides its request. */
export interface WatchContext {
  store: MemoryStore;
  representation: Representation;
  faults: WatchFaults;
  bookmarkIntervalMs: number;
}

interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: KubeObject;
}

/** The server disconnects a client that leaves more than this unread, as the real server does. */
const mostUnreadBytes = 16 * 1024 * 1024;

const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

/** Turns a change into a selecting watch's event. An object that starts to match is ADDED, one that stops is DELETED. */
function eventOf(change: LoggedChange, select: Selector): WatchEvent | undefined {
  const { type, object, previous } = change;
  const didMatch = previous !== undefined && select(previous);
  const doesMatch = type !== 'DELETED' && select(object);
  if (doesMatch) return { type: didMatch ? 'MODIFIED' : 'ADDED', object };
  if (!didMatch) return undefined;
  const { resourceVersion } = object.metadata;
  const last = type === 'DELETED' ? object : previous;
  return { type: 'DELETED', object: { ...last, metadata: { ...last.metadata, resourceVersion } } };
}

/** Writes a watch's events to a response, one JSON object per line, until the watch falls silent. */
class WatchWriter {
  readonly #response: ServerResponse;
  readonly #representation: Representation;
  #hasHeader = true;
  isSilent = false;

  constructor(response: ServerResponse, representation: Representation) {
    this.#response = response;
    this.#representation = representation;
  }

  event({ type, object }: WatchEvent): void {
    this.#write({ type, object: oneOf(this.#representation, object, this.#hasHeader) });
    this.#hasHeader = false;
  }

  bookmark(revision: number, annotations?: Record<string, string>): void {
    const metadata = { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) };
    this.#write({ type: 'BOOKMARK', object: { kind: this.#representation.resource.kind, apiVersion: 'v1', metadata } });
  }

  error(status: Status): void {
    this.#write({ type: 'ERROR', object: status });
  }

  #write(frame: unknown): void {
    if (this.isSilent || this.#response.writableEnded) return;
    this.#response.write(`${JSON.stringify(frame)}\n`);
    if (this.#response.writableLength > mostUnreadBytes) this.#response.destroy();
  }
}

/** Writes the first events of a watch. */
function begin(writer: WatchWriter, context: WatchContext, options: WatchOptions, changes: WatchChanges): void {
  const { store, faults } = context;
  if (faults.isExpired === true) {
    throw expired(`too old resource version: ${options.sinceRevision ?? 0} (${store.changes.revision})`);
  }
  const events: readonly WatchEvent[] = options.hasInitialEvents
    ? changes.present()
    : changes.since(options.sinceRevision);
  for (const event of events) writer.event(event);
  if (options.marksEndOfInitialEvents && options.allowsBookmarks) {
    writer.bookmark(store.changes.revision, initialEventsEnd);
  }
}

/** The part of the store's changes that a watch reports. */
interface WatchChanges {
  present(): WatchEvent[];
  since(revision: number | undefined): WatchEvent[];
  subscribe(listener: (event: WatchEvent) => void): () => void;
}

function changesFor(store: MemoryStore, route: ResourceRoute, select: Selector): WatchChanges {
  const { name: resource } = route.resource;
  const toEvent = (change: LoggedChange): WatchEvent | undefined => {
    const isHere = route.namespace === undefined || change.object.metadata.namespace === route.namespace;
    return change.resource === resource && isHere ? eventOf(change, select) : undefined;
  };
  return {
    present: () =>
      store
        .list(resource, route.namespace)
        .filter(select)
        .map((object) => ({ type: 'ADDED', object })),
    since: (revision) =>
      revision === undefined ? [] : store.changes.since(revision).flatMap((change) => toEvent(change) ?? []),
    subscribe: (listener) =>
      store.changes.subscribe((change) => {
        const event = toEvent(change);
        if (event !== undefined) listener(event);
      }),
  };
}

/**
 * Answers a watch. It first sends the present objects or past changes, then each change as it happens.
 *
 * @throws StatusError for a malformed query. A version that is too old causes an ERROR event instead.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
export function watch(route: ResourceRoute, query: URLSearchParams, context: WatchContext): StreamAnswer {
  const { store, representation, faults, bookmarkIntervalMs } = context;
  const options = watchOptions(store, query);
  const changes = changesFor(store, route, querySelector(route.resource.name, query, route.name));
  const stream = (response: ServerResponse, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const writer = new WatchWriter(response, representation);
      const unsubscribe = changes.subscribe((event) => writer.event(event));
      const timers: NodeJS.Timeout[] = [];
      const finish = (): void => {
        unsubscribe();
        timers.forEach(clearTimeout);
        response.end();
        resolve();
      };
      const bookmark = (): void => {
        if (options.allowsBookmarks) writer.bookmark(store.changes.revision);
      };
      signal.addEventListener('abort', finish, { once: true });
      try {
        begin(writer, context, options, changes);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        writer.error(error.status);
        finish();
        return;
      }
      timers.push(
        setInterval(bookmark, bookmarkIntervalMs),
        setTimeout(() => {
          bookmark();
          finish();
        }, options.timeoutSeconds * 1000),
      );
      if (faults.closeAfterMs !== undefined) timers.push(setTimeout(() => response.destroy(), faults.closeAfterMs));
      if (faults.silenceAfterMs !== undefined) {
        timers.push(
          setTimeout(() => {
            writer.isSilent = true;
          }, faults.silenceAfterMs),
        );
      }
    });
  return { code: 200, contentType: 'application/json', stream };
}
