import type { TerminalCode } from '../domain/error-codes.ts';
import { PendingError, TerminalError, TransientError } from '../domain/errors.ts';
import { observeMs } from '../manifest.ts';

/** How long a step may be tried, counted from a moment that an earlier step stamped. */
export interface Deadline {
  /** The state's name in the state machine. */
  step: string;
  sinceEpochMs: number;
  seconds: number;
  /** The error when it passes. */
  code: TerminalCode;
}

/**
 * Runs one attempt of a step. An attempt that came too early or failed on the way is thrown on as it is, for the state
 * machine to repeat, until the deadline has passed.
 *
 * @throws TerminalError with the deadline's code, saying the step, how long it took, and the last thing that was said
 */
export async function withinDeadline<Output>(
  deadline: Deadline,
  nowEpochMs: () => number,
  attempt: () => Promise<Output>,
): Promise<Output> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof PendingError || error instanceof TransientError)) throw error;
    throw unlessPassed(deadline, nowEpochMs(), error);
  }
}

/** Makes of an error that may be repeated the one to throw: itself, or the deadline's once that has passed. */
export function unlessPassed(
  deadline: Deadline,
  nowEpochMs: number,
  error: PendingError | TransientError,
): PendingError | TransientError | TerminalError {
  if (remainingMs(deadline, nowEpochMs) > 0) return error;
  const tookSeconds = Math.round((nowEpochMs - deadline.sinceEpochMs) / 1000);
  const says = `${deadline.step} gave up after ${tookSeconds} s of ${deadline.seconds} s; at last: ${error.says}`;
  return new TerminalError(deadline.code, says, error.about, { cause: error });
}

/** How long one attempt may observe: a function's own time, cut at the deadline. @param mostMs the function's own time */
export function observationMs(deadline: Deadline, nowEpochMs: number, mostMs: number = observeMs): number {
  return Math.max(0, Math.min(mostMs, remainingMs(deadline, nowEpochMs)));
}

function remainingMs({ sinceEpochMs, seconds }: Deadline, nowEpochMs: number): number {
  return sinceEpochMs + seconds * 1000 - nowEpochMs;
}

const freshMs = 5000;

/**
 * Says where to start to observe an object: just after an earlier step saw it, if that is recent enough for what
 * happened since to be judged as if it happened now; from its present state otherwise. It saves a read in the usual
 * launch, and a retry never judges a past that is over.
 */
export function freshSince(resourceVersion: string, seenAtEpochMs: number, nowEpochMs: number): { since?: string } {
  return nowEpochMs - seenAtEpochMs < freshMs ? { since: resourceVersion } : {};
}
