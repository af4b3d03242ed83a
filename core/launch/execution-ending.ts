import type { AttributedEnding } from './launch-record.ts';

/**
 * The error of an execution that davit stopped. davit requests the launch's clean-up before it stops the execution, so a
 * handler of this error does not need to request it.
 *
 * @see docs/adr/0015-ask-for-the-clean-up-before-stopping.md
 */
export const stoppedByDavit = 'Terminated';

/** The name in the record of a launch that Step Functions ended, because its execution is over. */
export const stepFunctions = 'Step Functions';

/** How an execution ended, as EventBridge and DescribeExecution report it. */
export interface EndedExecution {
  status: string;
  error?: string | null | undefined;
  cause?: string | null | undefined;
}

/** Makes the ending of a launch whose execution is over although the launch is not. */
export function executionEnding({ status, error, cause }: EndedExecution, atEpochMs: number): AttributedEnding {
  const detail = [`the execution ended as ${status}`, error, cause].filter(Boolean).join(': ');
  const message = `ExecutionEnded: ${detail}`;
  const actor = { kind: 'aws', name: stepFunctions } as const;
  return { outcome: 'failed', code: 'ExecutionEnded', message, by: stepFunctions, actor, atEpochMs };
}
