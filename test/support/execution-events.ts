import type { Runtime } from '../../local/runtime/start-runtime.ts';
import type { Execution } from '../../local/stepfunctions/execution.ts';
import type { HistoryEvent } from '../../local/stepfunctions/history-event.ts';
import { until } from './until.ts';

/** Waits until the execution of a launch is over. @throws Error when it goes on and on */
export function untilExecutionEnds(runtime: Runtime, launchId: string): Promise<Readonly<Execution>> {
  const execution = () => runtime.stepFunctions.execution(launchId);
  return until({
    subscribe: (changed) => runtime.onExecutionEvent(changed),
    look: () => (execution()?.status === 'RUNNING' ? undefined : execution()),
    missing: () => `the execution of ${launchId} is ${execution()?.status ?? 'not there'}`,
  });
}

/** Calls back once, when the execution of a launch enters or leaves a state, before anything else comes of that. */
export function when(runtime: Runtime, launchId: string, what: `${'enters' | 'leaves'} ${string}`, then: () => void) {
  const stop = runtime.onExecutionEvent((event, { name }) => {
    if (name !== launchId || what !== wordsOf(event)) return;
    stop();
    then();
  });
}

function wordsOf({ stateEnteredEventDetails: entered, stateExitedEventDetails: left }: HistoryEvent): string {
  return entered ? `enters ${entered.name}` : `leaves ${left?.name}`;
}
