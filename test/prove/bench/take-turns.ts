import { type Amount, turnsOf } from './size.ts';

/**
 * Lets contenders take turns, so that the machine's other load affects all of them alike. Each round, another one
 * starts.
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
