import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { CliError } from '../cli-error.ts';

/** Runs a function and waits for its answer. @throws CliError when the function fails */
export async function invoke(settings: LambdaClientConfig, functionName: string, payload: object): Promise<unknown> {
  const client = new LambdaClient(settings);
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(payload)) }),
  );
  client.destroy();
  const text = Buffer.from(Payload ?? []).toString();
  if (FunctionError === undefined) return JSON.parse(text);
  throw new CliError('failed', 'sweep-failed', `${functionName}: ${text}`, "The function's log has more.");
}
