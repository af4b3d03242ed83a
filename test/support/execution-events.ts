import type { ExecutionEvent } from '../../local/machine/state-machine.ts';
import type { Runtime } from '../../local/runtime/start-runtime.ts';
import type { ExecutionStatus } from '../../ports/executions.ts';
import { until } from './until.ts';

type Observed = Pick<Runtime, 'ports' | 'onExecutionEvent'>;

/** Waits until a launch's execution has ended. @throws Error when it does not end in time */
export async function untilExecutionEnds(runtime: Observed, launchId: string): Promise<ExecutionStatus> {
  let isOver = false;
  const stop = runtime.onExecutionEvent((event) => {
    if (event.type === 'ended' && event.launchId === launchId) isOver = true;
  });
  try {
    const known = await runtime.ports.executions.status(launchId);
    if (known !== undefined && known.status !== 'RUNNING') return known;
    await until({
      subscribe: (changed) => runtime.onExecutionEvent(changed),
      look: () => isOver || undefined,
      missing: () => `the execution of ${launchId} has not ended`,
    });
  } finally {
    stop();
  }
  const ended = await runtime.ports.executions.status(launchId);
  if (ended === undefined) throw new Error(`${launchId} has no execution`);
  return ended;
}

/** The moment when a state is entered or left: `leaves CreatePod`. */
export type Moment = `${'enters' | 'leaves'} ${string}`;

/** Calls back once, synchronously, when a launch's execution reaches a moment. */
export function when(
  runtime: Pick<Runtime, 'onExecutionEvent'>,
  launchId: string,
  moment: Moment,
  then: () => void,
): void {
  const stop = runtime.onExecutionEvent((event) => {
    if (event.launchId !== launchId || moment !== momentOf(event)) return;
    stop();
    then();
  });
}

function momentOf(event: ExecutionEvent): Moment | undefined {
  if (event.type === 'entered') return `enters ${event.state}`;
  return event.type === 'left' ? `leaves ${event.state}` : undefined;
}
