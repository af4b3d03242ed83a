import type { PollCursor } from '../core/ci/poll-cursor.ts';

/** How far CI systems have been polled. Any method may throw TransientError StoreUnavailable. */
export interface PollCursors {
  /** Reads the cursor, strongly consistent. @returns undefined for a CI system that was never polled */
  get(ciSystem: string): Promise<PollCursor | undefined>;
  /** Stores the cursor, in place of the previous one. */
  keep(ciSystem: string, cursor: PollCursor): Promise<void>;
}
