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

/** A state is entered or left: `leaves CreatePod`. */
export type Moment = `${'enters' | 'leaves'} ${string}`;

/** Calls back once, when the execution of a launch comes to a moment, before anything else comes of that. */
export function when(runtime: Runtime, launchId: string, moment: Moment, then: () => void): void {
  const stop = runtime.onExecutionEvent((event, { name }) => {
    if (name !== launchId || moment !== momentOf(event)) return;
    stop();
    then();
  });
}

function momentOf({ stateEnteredEventDetails: entered, stateExitedEventDetails: left }: HistoryEvent): Moment {
  return entered ? `enters ${entered.name}` : `leaves ${left?.name}`;
}
