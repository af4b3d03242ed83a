import type { LaunchPlan } from '../core/launch/launch-state.ts';

/** The state of an execution. */
export interface ExecutionStatus {
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  startedAtEpochMs?: number | undefined;
  /** Why it ended, if it did not succeed. */
  error?: string | undefined;
  cause?: string | undefined;
}

/** The state machine's executions: one per launch, named by the launch id. Any method may throw TransientError. */
export interface Executions {
  /**
   * Starts the launch's execution. Safe to repeat with the same plan.
   *
   * @returns false when the launch's execution is over already, or has other input
   */
  start(plan: LaunchPlan): Promise<boolean>;
  /**
   * Stops the launch's execution. Succeeds also when the execution is over or never existed. Request the launch's
   * clean-up first: no rule cleans up after an execution that davit stopped.
   */
  stop(launchId: string, cause: string): Promise<void>;
  /** Reads the state of the launch's execution, eventually consistent. @returns undefined when there is none */
  status(launchId: string): Promise<ExecutionStatus | undefined>;
  /** Lists the launches whose execution runs, eventually consistent. */
  running(): Promise<ReadonlySet<string>>;
}
