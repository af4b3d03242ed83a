import type { Runtime } from '../runtime/start-runtime.ts';
import type { Screen } from './screen.ts';

/**
 * Shows each state of each execution when the execution leaves it, with the time that it took.
 *
 * @returns a function that stops it
 */
export function showStates(screen: Screen, runtime: Pick<Runtime, 'onExecutionEvent'>): () => void {
  const enteredEpochMs = new Map<string, number>();
  return runtime.onExecutionEvent(({ timestampEpochMs, ...event }, { name }) => {
    const entered = event.stateEnteredEventDetails?.name;
    if (entered !== undefined) enteredEpochMs.set(`${name} ${entered}`, timestampEpochMs);
    const left = event.stateExitedEventDetails?.name;
    if (left === undefined) return;
    const tookMs = timestampEpochMs - (enteredEpochMs.get(`${name} ${left}`) ?? timestampEpochMs);
    screen.line('launch', `${name}  ${left.padEnd(13)} ${String(tookMs).padStart(6)} ms`);
  });
}
