import type { Runtime } from '../runtime/start-runtime.ts';
import type { Screen } from './screen.ts';

/**
 * Shows each state of each execution when the execution leaves it, with the time that it took.
 *
 * @returns a function that stops it
 */
export function showStates(screen: Screen, runtime: Pick<Runtime, 'onExecutionEvent'>): () => void {
  const enteredEpochMs = new Map<string, number>();
  return runtime.onExecutionEvent((event) => {
    if (event.type !== 'entered' && event.type !== 'left') return;
    const { launchId, state, atEpochMs } = event;
    const key = `${launchId} ${state}`;
    if (event.type === 'entered') return void enteredEpochMs.set(key, atEpochMs);
    const tookMs = atEpochMs - (enteredEpochMs.get(key) ?? atEpochMs);
    screen.line('launch', `${launchId}  ${state.padEnd(13)} ${String(tookMs).padStart(6)} ms`);
  });
}
