/** The statuses of an execution. */
export const executionStatuses = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] as const;

/**
 * One execution. Input and output are the original JSON text. An execution that ended long ago has lost them with its
 * history.
 */
export interface Execution {
  /** Counts all executions of a state machine: newest first is highest first. */
  sequence: number;
  arn: string;
  name: string;
  input?: string;
  status: (typeof executionStatuses)[number];
  startEpochMs: number;
  stopEpochMs?: number;
  output?: string;
  error?: string;
  cause?: string;
}

/** How an execution can end. */
export type ExecutionEnd =
  | { status: 'SUCCEEDED'; output: string }
  | { status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'; error?: string | undefined; cause?: string | undefined };
