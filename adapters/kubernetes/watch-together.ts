import { EventEmitter, on } from 'node:events';
import { labelKeys } from '../../core/launch/names.ts';
import * as z from '../../core/zod.ts';
import { type Change, type WatchObject, watchAlone } from './observe-object.ts';
import { type WatchConnection, watchEvents } from './watch-events.ts';

/** How many of the last changes a watch keeps for those who begin to observe an object a moment after they saw it. */
const mostKept = 256;

const Head = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    deletionTimestamp: z.optional(z.string()),
  }),
});

interface KeptChange {
  name: string;
  version: string;
  change: Change;
}

/** One watch of all launches' objects in a collection. */
interface Shared {
  /** The version since which it knows every change. */
  since: string;
  /** The last changes, oldest first. */
  kept: KeptChange[];
  /** Emits each KeptChange by `changeOf` its object, and `ended`. */
  events: EventEmitter;
  /** Why it ended, if that was no usual end. */
  failure?: unknown;
}

/**
 * Makes all who observe an object of a collection share one watch: for a process that runs many launches. A watch of its own
 * takes a request, and with HTTP/1.1 a TLS connection that closes with it.
 *
 * The shared watch begins where the first of them saw its object, and ends like any watch: when it is silent for too long, for
 * example. Whoever saw its object before that, and needs what happened since, watches alone.
 *
 *     pod A created: 7 ── watch since 7 ──────────── 9: B scheduled ── 10: A scheduled ──►
 *     pod B created: 8 ─────────────────── B since 8: finds 9 among the kept, and goes on with the watch
 *     pod C seen at 5 ──── C since 5: alone
 *
 * @param path the collection's
 * @param over ends the shared watch
 * @see docs/adr/0046-one-process-shares-its-watches.md
 */
export function watchTogether(connection: WatchConnection, path: string, over: AbortSignal): WatchObject {
  const alone = watchAlone(connection, path);
  let current: Shared | undefined;

  function begin(resourceVersion: string): Shared {
    const shared: Shared = { since: resourceVersion, kept: [], events: new EventEmitter().setMaxListeners(0) };
    const run = async () => {
      const query = { labelSelector: labelKeys.launchId, resourceVersion };
      for await (const { type, object } of watchEvents(connection, path, query, over)) {
        if (type === 'BOOKMARK') continue;
        const { metadata } = Head.parse(object);
        const change = type === 'DELETED' ? endOf(metadata) : ({ type: 'seen', object } as const);
        keep(shared, { name: metadata.name, version: metadata.resourceVersion, change });
      }
    };
    const end = (failure?: unknown) => {
      current = undefined;
      shared.failure = failure;
      shared.events.emit('ended');
    };
    run().then(() => end(), end);
    return shared;
  }

  return async function* (name, resourceVersion, ownOver) {
    if (ownOver.aborted) return;
    const shared = resourceVersion === '0' ? undefined : (current ??= begin(resourceVersion));
    if (shared === undefined || isAfter(shared.since, resourceVersion)) {
      yield* alone(name, resourceVersion, ownOver);
      return;
    }
    // Events may come later than the answer to a read.
    const isNews = ({ version }: KeptChange) => isAfter(version, resourceVersion);
    const missed = shared.kept.filter((each) => each.name === name && isNews(each));
    const coming = on(shared.events, changeOf(name), { close: ['ended'] });
    const stop = () => void coming.return?.();
    ownOver.addEventListener('abort', stop);
    try {
      for (const { change } of missed) yield change;
      for await (const [each] of coming) if (isNews(each)) yield each.change;
    } finally {
      ownOver.removeEventListener('abort', stop);
      stop();
    }
    if (shared.failure !== undefined) throw shared.failure;
  };
}

/** DELETED also says that an object no longer has the label. One that was being deleted is gone. */
function endOf({ uid, deletionTimestamp }: z.infer<typeof Head>['metadata']): Change {
  return deletionTimestamp === undefined ? { type: 'unlisted', uid } : { type: 'gone' };
}

function keep(shared: Shared, kept: KeptChange): void {
  shared.kept.push(kept);
  if (shared.kept.length > mostKept) shared.since = shared.kept.shift()?.version ?? shared.since;
  shared.events.emit(changeOf(kept.name), kept);
}

function changeOf(name: string): string {
  return `change of ${name}`;
}

/** The versions of a collection are numbers that grow. @see https://kubernetes.io/docs/reference/using-api/api-concepts/ */
function isAfter(version: string, other: string): boolean {
  return version.length === other.length ? version > other : version.length > other.length;
}
