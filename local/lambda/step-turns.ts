import type { FunctionName } from '../../functions/manifest.ts';
import { Turns } from './turns.ts';

/** This step only observes: an agent gets its token, connects and works without it. */
const observer: string = 'await-agent' satisfies FunctionName;

/**
 * How many launches are observed at a time. Each look reads its launch's record twice a second. Without this limit, the
 * agents that a burst has launched, and that have not connected, keep the thread and the store from the rest of it.
 */
export const observationsAtOnce = 32;

/** Longer than a look may last: each has its turn for as long as it lasts. */
const longestLookMs = 60_000;

/**
 * Makes the function that runs the steps of launches by turns: looks for agents that have not connected in turns of their
 * own, and all other steps after the answers in `turns`.
 *
 * @returns a function that throws as `Turns.work`
 */
export function stepTurns(turns: Pick<Turns, 'work'>) {
  const observations = new Turns({ atOnce: observationsAtOnce, turnMs: longestLookMs });
  return <Result>(functionName: string, run: () => Promise<Result>): Promise<Result> =>
    (functionName === observer ? observations : turns).work(run);
}
