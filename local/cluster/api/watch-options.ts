import { forbidden } from '../store/field-error.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { invalidOptions } from '../store/status-error.ts';
import { queryFlag, queryNumber, watchRevision } from './revision.ts';

/** How a watch begins and ends. */
export interface WatchOptions {
  /** The revision after which changes are told; undefined to begin with what is there now. */
  sinceRevision: number | undefined;
  /** Whether the objects that are there now are told first, as ADDED. */
  hasInitialEvents: boolean;
  /** Whether a bookmark says when all of those have been told. */
  marksEndOfInitialEvents: boolean;
  allowsBookmarks: boolean;
  timeoutSeconds: number;
}

/** The real server chooses from 30 to 60 minutes. */
const DEFAULT_TIMEOUT_SECONDS = 45 * 60;

/**
 * Reads a watch's query.
 *
 * @throws StatusError Invalid (422) for initial events without resourceVersionMatch=NotOlderThan.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-watch
 */
export const watchOptions = (store: MemoryStore, query: URLSearchParams): WatchOptions => {
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
    timeoutSeconds: queryNumber(query, 'timeoutSeconds') ?? DEFAULT_TIMEOUT_SECONDS,
  };
};
