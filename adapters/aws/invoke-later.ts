import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { InvokedEvents } from '../../core/invoked-events.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import { type AwsSettings, clientSettings, davitErrors } from './client-settings.ts';

/** Makes a client of Lambda. */
export function createLambdaClient(settings?: AwsSettings): LambdaClient {
  const client = new LambdaClient(clientSettings(settings));
  client.middlewareStack.use(davitErrors());
  return client;
}

/**
 * Invokes functions asynchronously: needs lambda:InvokeFunction on each. When Lambda answers, it has queued the event; it
 * repeats a failed run.
 *
 * @param target with each function's name or ARN in Lambda
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async.html
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export function createInvokeLater<Name extends keyof InvokedEvents>({
  client,
  functionNames,
}: {
  client: LambdaClient;
  functionNames: Readonly<Record<Name, string>>;
}): InvokeLater<Name> {
  return async (functionName, event) => {
    const Payload = JSON.stringify(event);
    await client.send(
      new InvokeCommand({ FunctionName: functionNames[functionName], InvocationType: 'Event', Payload }),
    );
  };
}
