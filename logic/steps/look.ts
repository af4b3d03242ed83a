import { createHash } from 'node:crypto';
import type { AgentName } from '../../core/launch/names.ts';

/** How a waiting step spreads its looks over time. */
export interface Pace {
  /** The longest look that trouble does not extend. */
  longLookMs: number;
  /** How old a wait is when its looks become short. */
  longForMs: number;
  /**
   * The longest time by which one agent's looks become short before another's. So launches that begin together drift
   * apart.
   */
  spreadMs: number;
}

/**
 * PollNodePort and PollHostIP: most launches are placed within the first minute, in which a look sees each change at
 * once. The spread is one period of the short looks and their pauses.
 */
export const placementPace: Pace = { longLookMs: 20_000, longForMs: 60_000, spreadMs: 14_000 };

/** How long a look is once a wait is old. */
export const shortLookMs = 3000;

/** PublishToken: no agent waits for its looks, because an agent has its token before the first one. So all are short. */
export const connectPace: Pace = { longLookMs: shortLookMs, longForMs: 0, spreadMs: 0 };

/**
 * The maximum length of a look that waits for the end of a deadline or of a grace period; see the function's time-out.
 */
export const longestLookMs = 22_000;

/** The conditions that decide how long a look is. */
interface LookState {
  agentName: AgentName;
  /** Since the wait began. */
  elapsedMs: number;
  /** Until the deadline; negative when it has passed. */
  remainingMs: number;
  /** How long the state machine pauses between two looks; undefined for a machine of an earlier version. */
  pauseSeconds: number | undefined;
}

/**
 * Says how long one look lasts. A look holds a function, and each look costs a state transition, so the first looks are
 * long and the later ones short. If a deadline is near, the look lasts until then, so that the deadline does not pass
 * during a pause.
 *
 * @returns whole milliseconds; 0 when the deadline has passed
 */
export function lookMs(pace: Pace, { agentName, elapsedMs, remainingMs, pauseSeconds }: LookState): number {
  if (remainingMs <= longestLookMs) return Math.max(0, remainingMs);
  if (pauseSeconds === undefined) return pace.longLookMs;
  const longMs = pace.longForMs - spreadMsOf(agentName, pace) - elapsedMs;
  return Math.min(pace.longLookMs, Math.max(shortLookMs, longMs));
}

/**
 * Says how much longer a look with trouble lasts: until the end of the grace period, if a function can stay that long.
 * Otherwise the step would judge the trouble only after the next pause.
 *
 * @param startedEpochMs when the look started
 * @param graceEndEpochMs undefined when no grace period runs
 * @returns milliseconds, 0 when the grace period has just ended; undefined when the look is over
 */
export function furtherLookMs(
  startedEpochMs: number,
  nowEpochMs: number,
  graceEndEpochMs: number | undefined,
): number | undefined {
  const latestEpochMs = startedEpochMs + longestLookMs;
  if (graceEndEpochMs === undefined || graceEndEpochMs > latestEpochMs || nowEpochMs > latestEpochMs) return undefined;
  return Math.max(0, graceEndEpochMs - nowEpochMs);
}

/** Spreads agents evenly. @returns whole milliseconds from 0 up to the spread */
function spreadMsOf(agentName: AgentName, { spreadMs }: Pace): number {
  return Math.floor((createHash('sha256').update(agentName).digest().readUInt32BE(0) / 2 ** 32) * spreadMs);
}
