import { type Amount, turnsOf } from './size.ts';

/**
 * Has contenders take turns, so that what the machine does meanwhile meets all of them alike; another one goes first each
 * time.
 *
 * @param taken called after each round, with its number
 */
export async function takeTurns(
  amount: Amount,
  contenders: readonly (() => Promise<unknown>)[],
  taken: (round: number) => void = () => {},
): Promise<void> {
  for (const round of turnsOf(amount)) {
    for (const index of contenders.keys()) await contenders[(index + round - 1) % contenders.length]?.();
    taken(round);
  }
}
