import { TransientError } from '../../core/errors/errors.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import { CliError } from '../cli-error.ts';

/** How long to wait, and how often to look. */
export interface Patience {
  /** The end of the wait, on the clock of `performance.now()`. */
  untilMs: number;
  pauseMs: number;
  /** Ends the wait when the person presses Ctrl-C. */
  signal: AbortSignal;
}

/**
 * Repeats a question until its answer is yes. Asks at least once. An answer that does not come is no answer, and is asked
 * for again.
 *
 * @returns false when the time is over
 * @throws the signal's reason when it is aborted; what the question throws, beside TransientError and a CliError
 *   `unreachable`
 */
export async function poll({ untilMs, pauseMs, signal }: Patience, isSo: () => Promise<boolean>): Promise<boolean> {
  for (;;) {
    signal.throwIfAborted();
    if (await unlessAway(isSo)) return true;
    if (performance.now() >= untilMs) return false;
    await sleepUnlessAborted(pauseMs, signal);
  }
}

async function unlessAway(isSo: () => Promise<boolean>): Promise<boolean> {
  try {
    return await isSo();
  } catch (error) {
    if (error instanceof TransientError) return false;
    if (error instanceof CliError && error.reason === 'unreachable') return false;
    throw error;
  }
}
