/** How many things of one kind a round asks a CI system for by their ids: at most 1,500 requests an hour. */
const mostAsked = 25;

/** The interval of the rounds' schedule. */
const roundMs = 60_000;

/** Picks those of many things whose turn it is, so that rounds in a row ask for each of them. */
export function inTurns<Thing>(things: readonly Thing[], nowEpochMs: number): Thing[] {
  if (things.length <= mostAsked) return [...things];
  const from = (Math.floor(nowEpochMs / roundMs) * mostAsked) % things.length;
  return [...things.slice(from), ...things.slice(0, from)].slice(0, mostAsked);
}
