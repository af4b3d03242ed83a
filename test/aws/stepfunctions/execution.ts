import * as z from 'zod';

/**
 * One execution, as the journal keeps it. Input and output are the original JSON text. An execution that ended long ago
 * has lost them with its history.
 */
export const Execution = z.object({
  /** Counts all executions of a state machine: newest first is highest first. */
  sequence: z.int(),
  arn: z.string(),
  name: z.string(),
  input: z.string().optional(),
  status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
  startEpochMs: z.number(),
  stopEpochMs: z.number().optional(),
  output: z.string().optional(),
  error: z.string().optional(),
  cause: z.string().optional(),
  /** How often the runtime ran it again after a crash. */
  redriveCount: z.int(),
  redriveEpochMs: z.number().optional(),
  /** How many states its last run entered. AWS would charge for them, besides retries. */
  statesEntered: z.int(),
});
export type Execution = z.output<typeof Execution>;

/** How an execution can end. */
export type ExecutionEnd =
  | { status: 'SUCCEEDED'; output: string }
  | { status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'; error?: string | undefined; cause?: string | undefined };
