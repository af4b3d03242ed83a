/** The least time between two polls of a CI system that events ask for, in milliseconds. */
export const pollTurnMs = 2000;

/**
 * Finds the turn of a poll that an event asks for. A burst of events becomes one poll at once, and one each `pollTurnMs`, of
 * which the last begins after the last event:
 *
 *     event   a b c        d
 *     poll    a  └────b    └──d     b's poll sees what c told
 *
 * @param lastEpochMs when the latest turn begins or began; undefined before the first one
 * @returns when the poll begins; undefined if one that begins later sees what the event told
 */
export function pollTurn(lastEpochMs: number | undefined, nowEpochMs: number): number | undefined {
  // A turn further ahead was taken by a clock that was wrong.
  const isWrong = lastEpochMs !== undefined && lastEpochMs > nowEpochMs + pollTurnMs;
  if (lastEpochMs === undefined || isWrong || lastEpochMs <= nowEpochMs - pollTurnMs) return nowEpochMs;
  return lastEpochMs <= nowEpochMs ? lastEpochMs + pollTurnMs : undefined;
}
