import { forbidden } from '../store/field-error.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { invalidOptions } from '../store/status-error.ts';
import { queryFlag, queryNumber, watchRevision } from './revision.ts';

/** The options of a watch. */
export interface WatchOptions {
  /** The revision after which the watch reports changes. Undefined starts at the present revision. */
  sinceRevision: number | undefined;
  /** Whether the watch first reports the present objects, as ADDED. */
  hasInitialEvents: boolean;
  /** Whether a bookmark marks the end of those initial events. */
  marksEndOfInitialEvents: boolean;
  allowsBookmarks: boolean;
  timeoutSeconds: number;
}

/** The real server chooses a random time from 30 to 60 minutes. */
const defaultTimeoutSeconds = 45 * 60;

/**
 * Reads a watch's query.
 *
 * @throws StatusError Invalid (422) if sendInitialEvents and resourceVersionMatch=NotOlderThan do not come together.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-watch
 */
export function watchOptions(store: MemoryStore, query: URLSearchParams): WatchOptions {
  const revision = watchRevision(query);
  const wantsInitialEvents = query.has('sendInitialEvents') ? queryFlag(query, 'sendInitialEvents') : undefined;
  const match = query.get('resourceVersionMatch');
  if (wantsInitialEvents !== undefined && match !== 'NotOlderThan') {
    throw invalidOptions('ListOptions', [
      forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    ]);
  }
  if (wantsInitialEvents === undefined && match !== null) {
    throw invalidOptions('ListOptions', [
      forbidden(
        'resourceVersionMatch',
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    ]);
  }
  const beginsNow = revision === undefined || revision === 0;
  const hasInitialEvents = wantsInitialEvents ?? beginsNow;
  return {
    sinceRevision: hasInitialEvents || beginsNow ? undefined : revision,
    hasInitialEvents,
    marksEndOfInitialEvents: wantsInitialEvents === true,
    allowsBookmarks: queryFlag(query, 'allowWatchBookmarks'),
    timeoutSeconds: queryNumber(query, 'timeoutSeconds') ?? defaultTimeoutSeconds,
  };
}
