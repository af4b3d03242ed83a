import type { Ending } from './launch-record.ts';

/**
 * The error of an execution that davit stopped. Whoever did had asked for the launch's clean-up before: nobody else has to
 * on that account.
 *
 * @see docs/adr/0015-who-stops-an-execution-has-asked-for-its-clean-up.md
 */
export const stoppedByDavit = 'Terminated';

/** How an execution ended, as EventBridge and DescribeExecution say it. */
export interface EndedExecution {
  status: string;
  error?: string | null | undefined;
  cause?: string | null | undefined;
}

/** Makes the ending of a launch whose execution is over although the launch is not. */
export function executionEnding({ status, error, cause }: EndedExecution, atEpochMs: number): Ending {
  const says = [`the execution ended as ${status}`, error, cause].filter(Boolean).join(': ');
  const message = `ExecutionEnded: ${says}`;
  return { outcome: 'failed', code: 'ExecutionEnded', message, by: 'Step Functions', atEpochMs };
}
