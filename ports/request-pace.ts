/** Points that a function needs for its requests to a CI system, in one slot of time. */
export interface PointsNeeded {
  ciSystem: string;
  /** The slot: `slotOf` of now. */
  slot: number;
  points: number;
  /** How many points of the slot may be used with these. */
  most: number;
  /** Takes none if this slot, or the one before it, has refused one who waits: it comes again. @default it takes some */
  yields?: true;
  /** Counts a refusal: the purposes that yield do so from then on. @default it is not counted */
  waits?: true;
}

/** The refusal of points. */
export interface PointsRefused {
  /** The refusals that the slot has counted, this one included; 0 if it is not counted. */
  refused: number;
}

/**
 * The points that all functions together use of what a CI system allows in a minute. Any method may throw TransientError
 * StoreUnavailable.
 */
export interface RequestPace {
  /**
   * Takes points of a slot, all or none. Any number of callers may do so at once: none has to try again.
   *
   * @returns undefined when they are taken
   */
  take(needed: PointsNeeded): Promise<PointsRefused | undefined>;
  /** Reads how many points are used of some slots: those without any may be missing. */
  usedIn(ciSystem: string, slots: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Notes that a CI system accepts no requests until a moment. A later moment stays. */
  pause(ciSystem: string, untilEpochMs: number): Promise<void>;
  /** Reads until when it accepts none; 0 if it has never been paused. The moment may be over. */
  pausedUntil(ciSystem: string): Promise<number>;
}
