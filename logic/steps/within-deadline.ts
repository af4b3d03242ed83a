import type { TerminalCode } from '../../core/errors/error-codes.ts';
import { PendingError, TerminalError, TransientError } from '../../core/errors/errors.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { lookMs, type Pace } from './look.ts';

/** How long a step may be repeated, counted from a moment that an earlier step stamped. */
export interface Deadline {
  /** The state's name in the state machine. */
  step: string;
  sinceEpochMs: number;
  seconds: number;
  /** The error when it passes. */
  code: TerminalCode;
}

/**
 * Runs one attempt of a step. Until the deadline, passes on the error of an attempt that came too early or failed
 * temporarily, so that the state machine repeats the step.
 *
 * @throws TerminalError with the deadline's code, naming the step, its duration, and the last detail
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

/** Returns the error to throw for a repeatable error: the error itself, or the deadline's once that has passed. */
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
 * Says where to start observing an object: just after an earlier step saw it, if that is so recent that the changes since
 * then count as present; otherwise from its present state. This saves a read in the usual launch, and a retry never
 * judges an old state.
 */
export function freshSince(resourceVersion: string, seenAtEpochMs: number, nowEpochMs: number): { since?: string } {
  return nowEpochMs - seenAtEpochMs < freshMs ? { since: resourceVersion } : {};
}
