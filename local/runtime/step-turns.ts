import type { FunctionName } from '../../runtime/function-settings.ts';
import { Turns } from './turns.ts';

/** The step that only observes: an agent gets its token, connects and works without it. */
const observer: string = 'await-agent' satisfies FunctionName;

/**
 * How many launches davit observes at a time. Each look reads its launch's record twice a second. Without this limit,
 * the first agents of a burst, before they have connected, would keep the thread and the store from the rest of the
 * burst.
 */
export const observationsAtOnce = 32;

/** These steps wait for events in the cluster. */
const waits: ReadonlySet<string> = new Set(['poll-node-port', 'poll-host-ip', 'clean-up'] satisfies FunctionName[]);

/**
 * How many other steps work at a time, whether or not their turns are over. On a busy machine their calls are slow.
 * More steps at a time would make them slower, until they time out and the state machine repeats them.
 */
export const stepsAtOnce = 8;

/** The longest time of one call of a step. */
const longestCallMs = 3000;

/** Longer than any look, so that each look keeps its turn until its end. */
const longestLookMs = 60_000;

/**
 * Makes the function that runs the steps of launches by turns: looks for agents that have not connected in turns of their
 * own, and all other steps after the answers in `turns`, a few at a time.
 *
 * @returns a function that throws as `Turns.work`
 */
export function stepTurns(turns: Pick<Turns, 'work'>) {
  const observations = new Turns({ atOnce: observationsAtOnce, turnMs: longestLookMs });
  const steps = new Turns({ atOnce: stepsAtOnce, turnMs: longestCallMs });
  return <Result>(functionName: string, run: () => Promise<Result>): Promise<Result> => {
    if (functionName === observer) return observations.work(run);
    return waits.has(functionName) ? turns.work(run) : steps.work(() => turns.work(run));
  };
}
