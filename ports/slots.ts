import type { LaunchId } from '../core/launch/names.ts';
import type { SlotLimit } from '../core/limits/slot-limits.ts';

/** A slot of a limit that a launch holds. */
export interface HeldSlot {
  launchId: LaunchId;
  /** `acme/app`; empty for a launch that a caller of the API requested. */
  repository: string;
  takenAtEpochMs: number;
}

/** The slots of a limit, by the id of the attempt that holds each: see `holderOf`. */
export type HeldSlots = ReadonlyMap<string, HeldSlot>;

/**
 * The slots of limits: one record for each limit. Every write is one conditional write of that record and repeatable, and
 * every read is strongly consistent. Any method may throw TransientError StoreUnavailable.
 */
export interface Slots {
  /** Takes a slot if the limit has a free one. @returns whether the holder has a slot, a new one or an earlier one */
  take(limit: SlotLimit, holder: string, slot: HeldSlot): Promise<boolean>;
  /** Gives a slot back. Repeatable. */
  free(key: string, holder: string): Promise<void>;
  /** Takes a slot for an existing agent, even if the limit is reached. */
  hold(key: string, holder: string, slot: HeldSlot): Promise<void>;
  /** Reads who holds the limit's slots. */
  get(key: string): Promise<HeldSlots>;
}
