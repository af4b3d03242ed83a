import type { TerminalCode } from '../domain/error-codes.ts';
import { PendingError, TerminalError, TransientError } from '../domain/errors.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import { lookMs, type Pace } from './look.ts';

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
  const detail = `${deadline.step} gave up after ${tookSeconds} s of ${deadline.seconds} s; at last: ${error.detail}`;
  return new TerminalError(deadline.code, detail, error.subject, { cause: error });
}

/**
 * Says how long one attempt observes.
 *
 * @param pauseSeconds how long the state machine pauses between two attempts; undefined for one of an earlier version
 * @returns milliseconds; 0 when the deadline has passed
 */
export function observationMs(
  deadline: Deadline,
  pace: Pace,
  { agentName }: Pick<LaunchPlan, 'agentName'>,
  pauseSeconds: number | undefined,
  nowEpochMs: number,
): number {
  return lookMs(pace, {
    agentName,
    elapsedMs: nowEpochMs - deadline.sinceEpochMs,
    remainingMs: remainingMs(deadline, nowEpochMs),
    pauseSeconds,
  });
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
