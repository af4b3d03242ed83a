import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type AwsSettings, clientSettings, davitErrors } from './client-settings.ts';

/** A function, and the client of Lambda that reaches it. */
export interface LambdaFunction {
  client: LambdaClient;
  /** Its name or ARN. */
  functionName: string;
}

/** Makes a client of Lambda. */
export function createLambdaClient(settings?: AwsSettings): LambdaClient {
  const client = new LambdaClient(clientSettings(settings));
  client.middlewareStack.use(davitErrors());
  return client;
}

/**
 * Invokes a function asynchronously: needs lambda:InvokeFunction on it. When Lambda answers, it has queued the event; it
 * repeats a failed run.
 *
 * @throws TransientError StoreUnavailable
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async.html
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export async function invokeLater({ client, functionName }: LambdaFunction, event: object): Promise<void> {
  const Payload = JSON.stringify(event);
  await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
}
