import { maxLaunchSeconds } from '../../core/launch/launch-state.ts';
import { AgentName } from '../../core/launch/names.ts';
import { connectPace, lookMs, type Pace, placementPace } from '../../logic/steps/look.ts';
import { longestDelaysSeconds, retrierOf, taskOf } from './read-definition.ts';

/** One attempt of a state that waits, in milliseconds since the wait began. */
export interface Look {
  startMs: number;
  endMs: number;
}

/** The states that look and pause, each with its pace and the state whose output says how it pauses. */
export const waits = {
  PollNodePort: { pace: placementPace, before: 'CreateService' },
  PollHostIP: { pace: placementPace, before: 'CreatePod' },
  PublishToken: { pace: connectPace, before: 'PollHostIP' },
} as const satisfies Record<string, { pace: Pace; before: string }>;

/** The name of a state that looks and pauses. */
export type WaitName = keyof typeof waits;

/** Finds the constant with which a state passes its pause to its function. */
export function saidPauseSeconds(name: WaitName): unknown {
  return taskOf(waits[name].before).ResultSelector?.['lookPauseSeconds'];
}

/** The Retry entry of a state that looks and pauses. */
export function pauseOf(name: WaitName) {
  const retrier = retrierOf(taskOf(name), 'PendingError');
  if (retrier === undefined) throw new Error(`${name} does not wait`);
  return retrier;
}

/**
 * Lists the looks of a launch that waits in one state until its deadline: the function's own lengths, with the state
 * machine's pauses between them. Leaves out the time that an attempt takes besides its look.
 */
export function looksOf(name: WaitName, agent: string, deadlineSeconds: number = maxLaunchSeconds): Look[] {
  const deadlineMs = deadlineSeconds * 1000;
  const pauses = longestDelaysSeconds(pauseOf(name));
  const pauseSeconds = Number(saidPauseSeconds(name));
  const agentName = AgentName.parse(agent);
  const looks: Look[] = [];
  let startMs = 0;
  for (const pause of pauses) {
    const state = { agentName, elapsedMs: startMs, remainingMs: deadlineMs - startMs, pauseSeconds };
    const endMs = startMs + lookMs(waits[name].pace, state);
    looks.push({ startMs, endMs });
    if (endMs >= deadlineMs) return looks;
    startMs = endMs + pause * 1000;
  }
  throw new Error(`${name} has used up its attempts after ${startMs / 1000} s`);
}

/** How long a launch holds a function between two moments of its wait, in milliseconds. */
export function heldMs(looks: readonly Look[], fromMs: number, toMs: number): number {
  return looks.reduce((sum, { startMs, endMs }) => {
    return sum + Math.max(0, Math.min(endMs, toMs) - Math.max(startMs, fromMs));
  }, 0);
}

/** How many looks start between two moments of a wait: each is a state transition. */
export function startedBetween(looks: readonly Look[], fromMs: number, toMs: number): number {
  return looks.filter(({ startMs }) => startMs >= fromMs && startMs < toMs).length;
}
