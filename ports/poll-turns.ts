/** The turns of the polls that events ask for, by `pollTurn`. */
export interface PollTurns {
  /**
   * Takes the next turn of a CI system.
   *
   * @returns when the poll begins; undefined if one that begins later sees what the event told
   * @throws TransientError StoreUnavailable
   */
  take(ciSystem: string, nowEpochMs: number): Promise<number | undefined>;
}
