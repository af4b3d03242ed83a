import * as z from 'zod';
import type { JsonValue } from '../../../../local/json-value.ts';
import { type InvocationResult, TooManyRequests } from '../../../../local/runtime/invocation.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import { TaskError } from './task-error.ts';

/** Invokes a function by its name or ARN, as the function host does. */
export type InvokeFunction = (functionName: string, event: JsonValue) => Promise<InvocationResult>;

const LambdaParameters = z.object({ FunctionName: z.string(), Payload: z.custom<JsonValue>().optional() });

/** @see https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html */
const stateDataLimitBytes = 256 * 1024;

/**
 * Runs a task as the `lambda:invoke` integration does. Returns the raw envelope.
 *
 * @throws TaskError with the function's errorType as its name and the error payload as its cause, in JSON.
 * `Lambda.<code>` for Lambda's own errors. States.DataLimitExceeded, which no Catch matches, for a result over 256 KiB.
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/connect-lambda.html
 */
export async function runLambdaTask(invokeFunction: InvokeFunction, parameters: JsonValue): Promise<JsonValue> {
  const { FunctionName, Payload } = LambdaParameters.parse(parameters);
  const result = await invokeFunction(FunctionName, Payload ?? {}).catch(throwAsTaskError);
  if (result.functionError !== undefined) {
    throw new TaskError(result.payload.errorType || 'Lambda.Unknown', JSON.stringify(result.payload));
  }
  const envelope = { ExecutedVersion: '$LATEST', Payload: result.payload, StatusCode: 200 };
  if (Buffer.byteLength(JSON.stringify(envelope)) > stateDataLimitBytes) throw dataLimitExceeded();
  return envelope;
}

function throwAsTaskError(error: unknown): never {
  if (error instanceof TooManyRequests) throw new TaskError(error.name, error.message);
  if (!(error instanceof AwsServiceError)) throw error;
  throw new TaskError(`Lambda.${error.name}`, `${error.message} (Service: Lambda, Status Code: ${error.statusCode})`);
}

function dataLimitExceeded(): TaskError {
  const cause =
    "The state/task 'arn:aws:states:::lambda:invoke' returned a result with a size exceeding the maximum number of bytes service limit.";
  return new TaskError('States.DataLimitExceeded', cause, 'unmatched');
}
