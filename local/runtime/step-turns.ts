import { PendingError } from '../../core/errors/errors.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { TooManyRequests } from './invocation.ts';
import { Turns } from './turns.ts';

/** The step that begins with work, and then only observes: an agent gets its token, connects and works without that. */
const observer: string = 'publish-token' satisfies FunctionName;

/**
 * How many launches davit observes at a time. Each look reads its launch's record twice a second. Without this limit,
 * the first agents of a burst, before they have connected, would keep the thread and the store from the rest of the
 * burst.
 */
export const observationsAtOnce = 32;

/**
 * The steps of a launch, in their order. A later one is more urgent: of many launches that begin together, half have their token
 * after half of the time, and not all of them at its end.
 */
const order: readonly string[] = [
  'create-service',
  'poll-node-port',
  'create-pod',
  'poll-host-ip',
  'publish-token',
] satisfies FunctionName[];

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

/** How long a look waits for its turn: its attempt of the step has waited for another one already. */
const lookPatienceMs = 5000;

/** The turns in which the steps of launches run. */
export interface StepTurns {
  /**
   * Runs a step when its turn comes: after the answers, later steps first, and a few at a time. PublishToken only begins in its
   * turn, since it publishes at once, and observes in `observe`.
   *
   * @throws as `Turns.work`
   */
  run: <Result>(functionName: string, run: () => Promise<Result>) => Promise<Result>;
  /** Runs a look for an agent that has not connected, in turns of their own. @throws as `Turns.work` */
  observe: <Result>(look: () => Promise<Result>) => Promise<Result>;
}

/** Makes the turns of the steps of launches, beside the answers in `turns`. */
export function stepTurns(turns: Pick<Turns, 'work'>): StepTurns {
  const observations = new Turns({ atOnce: observationsAtOnce, turnMs: longestLookMs, patienceMs: lookPatienceMs });
  const steps = new Turns({ atOnce: stepsAtOnce, turnMs: longestCallMs });
  return {
    run: async (functionName, run) => {
      const urgency = Math.max(0, order.indexOf(functionName));
      const work = <Result>(task: () => Promise<Result>) => steps.work(() => turns.work(task, urgency), urgency);
      if (waits.has(functionName)) return turns.work(run, urgency);
      if (functionName !== observer) return work(run);
      await work(async () => undefined);
      return run();
    },
    observe: (look) => observations.work(look),
  };
}

/** Makes a look without a turn a look that has seen nothing: the state machine pauses, and the step looks again. */
export function orPending(observe: StepTurns['observe']): StepTurns['observe'] {
  return async (look) => {
    try {
      return await observe(look);
    } catch (error) {
      if (!(error instanceof TooManyRequests)) throw error;
      throw new PendingError('ConnectPending', 'davit looks for other agents first', {}, { cause: error });
    }
  };
}
