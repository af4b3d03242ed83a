import type { LaunchPlan } from '../domain/launch-state.ts';

/** How an execution is. */
export interface ExecutionStatus {
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  /** Why it ended, of one that did not succeed. */
  error?: string | undefined;
  cause?: string | undefined;
}

/** The state machine's executions, one a launch, named by the launch id. Any method may throw TransientError. */
export interface Executions {
  /**
   * Starts the launch's execution. Safe to repeat with the same plan.
   *
   * @returns false when the launch's execution is over already, or was started with other input
   */
  start(plan: LaunchPlan): Promise<boolean>;
  /**
   * Stops the launch's execution; one that is over, or never was, is success. Nobody cleans up after one that was stopped
   * so: whoever stops it has asked for the launch's clean-up before.
   */
  stop(launchId: string, cause: string): Promise<void>;
  /** Says how the launch's execution is, eventually consistent; undefined when there is none. */
  status(launchId: string): Promise<ExecutionStatus | undefined>;
  /** The launches whose execution runs, eventually consistent. */
  running(): Promise<ReadonlySet<string>>;
}
