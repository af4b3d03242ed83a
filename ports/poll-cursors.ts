import type { PollCursor } from '../core/ci/poll-cursor.ts';

/** A cursor as it is stored, and the revision that a write must still find. */
export interface StoredCursor {
  cursor: PollCursor;
  /** How often it was written. */
  revision: number;
}

/** How far CI systems have been polled. Any method may throw TransientError StoreUnavailable. */
export interface PollCursors {
  /** Reads the cursor, strongly consistent. That of a CI system that was never polled is empty, at revision 0. */
  get(ciSystem: string): Promise<StoredCursor>;
  /**
   * Stores the next cursor, if the stored one still has the revision that it was made from. Polls overlap: a request for a
   * poll at once does not wait for the scheduled one.
   *
   * @returns the new revision; undefined when another poll has stored its cursor first. After a lost answer, that may have
   *   been this call.
   */
  keep(ciSystem: string, cursor: PollCursor, revision: number): Promise<number | undefined>;
}
