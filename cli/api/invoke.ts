import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { CliError } from '../cli-error.ts';
import type { ScheduledFunction } from './connection.ts';

/**
 * Runs a function and waits for its answer.
 *
 * @param name for the error's code
 * @throws CliError when the function fails
 */
export async function invoke(
  settings: LambdaClientConfig,
  name: ScheduledFunction,
  functionName: string,
  payload: object,
): Promise<unknown> {
  const client = new LambdaClient(settings);
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName: functionName, Payload: Buffer.from(JSON.stringify(payload)) }),
  );
  client.destroy();
  const text = Buffer.from(Payload ?? []).toString();
  if (FunctionError === undefined) return JSON.parse(text);
  throw new CliError('failed', `${name}-failed`, `${functionName}: ${text}`, "The function's log has more.");
}
