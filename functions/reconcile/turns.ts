/** How many things of one kind a round asks a CI system for by their ids: at most 1,500 requests an hour. */
const mostAsked = 25;

/** The interval of the rounds' schedule. */
const roundMs = 60_000;

/** The part of the things that the first one moves on by in a minute. No number of minutes is a whole number of turns. */
const goldenRatio = (Math.sqrt(5) - 1) / 2;

/**
 * Picks those of many things whose turn it is, so that a few rounds ask for each of them: also when a CI system's rate
 * limit leaves a round only in each second minute.
 */
export function inTurns<Thing>(things: readonly Thing[], nowEpochMs: number): Thing[] {
  if (things.length <= mostAsked) return [...things];
  const turns = Math.floor(nowEpochMs / roundMs) * goldenRatio;
  const from = Math.floor((turns % 1) * things.length);
  return [...things.slice(from), ...things.slice(0, from)].slice(0, mostAsked);
}
