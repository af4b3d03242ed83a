import type { RoundCursor } from '../core/ci/round-cursor.ts';

/** How far rounds of reconciling have come. Any method may throw TransientError StoreUnavailable. */
export interface RoundCursors {
  get(ciSystem: string): Promise<RoundCursor | undefined>;
  /** Stores the cursor, unless a newer one is stored. */
  keep(ciSystem: string, cursor: RoundCursor): Promise<void>;
}
