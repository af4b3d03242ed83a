import type { LaunchPlan } from '../domain/launch-state.ts';

/** Puts into a launch's trace what is a request of its own, and so has another trace by itself. */
export interface Traces {
  /**
   * Notes that a launch's agent has connected, from when its request came until it was answered. Never throws: a trace
   * that lacks a segment is no reason to send an agent away.
   */
  agentConnected(
    plan: Pick<LaunchPlan, 'launchId' | 'agentName' | 'traceHeader'>,
    time: { fromEpochMs: number; toEpochMs: number },
  ): Promise<void>;
}
