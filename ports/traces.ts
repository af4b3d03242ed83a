import type { LaunchPlan } from '../core/launch/launch-state.ts';

/** Adds segments to a launch's trace from requests that have a trace of their own. */
export interface Traces {
  /**
   * Adds the agent's connection to the launch's trace, from its request to its answer. Never throws: an agent must not
   * fail for a missing segment.
   */
  agentConnected(
    plan: Pick<LaunchPlan, 'launchId' | 'agentName' | 'traceHeader'>,
    time: { fromEpochMs: number; toEpochMs: number },
  ): Promise<void>;
}
