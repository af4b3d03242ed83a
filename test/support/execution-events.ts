import type { Runtime } from '../../local/runtime/start-runtime.ts';
import type { Execution } from '../../local/stepfunctions/execution.ts';
import type { HistoryEvent } from '../../local/stepfunctions/history-event.ts';
import { until } from './until.ts';

/** Waits until a launch's execution has ended. @throws Error when it does not end in time */
export function untilExecutionEnds(runtime: Runtime, launchId: string): Promise<Readonly<Execution>> {
  const execution = () => runtime.stepFunctions.execution(launchId);
  return until({
    subscribe: (changed) => runtime.onExecutionEvent(changed),
    look: () => (execution()?.status === 'RUNNING' ? undefined : execution()),
    missing: () => `the execution of ${launchId} is ${execution()?.status ?? 'not there'}`,
  });
}

/** The moment when a state is entered or left: `leaves CreatePod`. */
export type Moment = `${'enters' | 'leaves'} ${string}`;

/** Calls back once, synchronously, when a launch's execution reaches a moment. */
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
