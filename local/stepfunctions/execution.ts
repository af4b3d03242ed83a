import * as z from 'zod';

/**
 * One execution, as the journal keeps it; input and output are JSON text, as they came, and gone with the history of one
 * that ended long ago.
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
  /** How often it was run again after the runtime had died. */
  redriveCount: z.int(),
  redriveEpochMs: z.number().optional(),
  /** States entered by its last run: what AWS would charge, retries not counted. */
  statesEntered: z.int(),
});
export type Execution = z.output<typeof Execution>;

/** How an execution can end. */
export type ExecutionEnd =
  | { status: 'SUCCEEDED'; output: string }
  | { status: 'FAILED' | 'TIMED_OUT' | 'ABORTED'; error?: string | undefined; cause?: string | undefined };
