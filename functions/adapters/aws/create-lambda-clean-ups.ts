import type { CleanUps } from '../../ports/clean-ups.ts';
import type { AwsClient } from './aws-client.ts';

/** A function, and the client of Lambda that reaches it. */
export interface LambdaFunction {
  client: AwsClient;
  /** Its name or ARN. */
  functionName: string;
}

/**
 * Asks for clean-ups by invoking their function: needs lambda:InvokeFunction on it.
 *
 * @param target the clean-up function
 */
export function createLambdaCleanUps(target: LambdaFunction): CleanUps {
  return { request: (launchId) => invokeLater(target, { launchId }) };
}

/**
 * Invokes a function asynchronously: Lambda has queued the event when it answers, and runs it again if it fails.
 *
 * @throws as `AwsClient`'s `send`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async.html
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export async function invokeLater({ client, functionName }: LambdaFunction, event: object): Promise<void> {
  await client.send('Invoke', {
    method: 'POST',
    path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
    headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' },
    body: JSON.stringify(event),
  });
}
