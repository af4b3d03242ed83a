import type { LambdaClient } from '@aws-sdk/client-lambda';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { CleanUps } from '../../ports/clean-ups.ts';
import { callAws } from './to-transient.ts';

/**
 * Asks for clean-ups by invoking their function asynchronously: Lambda has queued the event when it answers, and runs
 * it again if it fails. Needs lambda:InvokeFunction on that function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async.html
 */
export function createLambdaCleanUps(target: { client: LambdaClient; functionName: string }): CleanUps {
  return {
    async request(launchId) {
      const command = new InvokeCommand({
        FunctionName: target.functionName,
        InvocationType: 'Event',
        Payload: JSON.stringify({ launchId }),
      });
      await callAws('Lambda Invoke', () => target.client.send(command));
    },
  };
}
