/** How far the clocks of CI systems are off. Any method may throw TransientError StoreUnavailable. */
export interface CiClocks {
  /** @returns how far the CI system's clock is ahead of davit's, in milliseconds; undefined while nobody has noted it */
  get(ciSystem: string): Promise<number | undefined>;
  /** Stores it, in place of the previous value. */
  keep(ciSystem: string, aheadMs: number): Promise<void>;
}
