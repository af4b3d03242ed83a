import type { Ending } from './launch-record.ts';

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
