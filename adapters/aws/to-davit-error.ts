import { isNativeError } from 'node:util/types';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { TransientError } from '../../core/errors/errors.ts';
import * as z from '../../core/zod.ts';

/**
 * The limit of open executions, KMS behind any service, and a write of an item that a transaction is writing: temporary
 * too, but not on the SDK's lists.
 */
const alsoTemporary = new Set(['ExecutionLimitExceeded', 'KmsThrottlingException', 'TransactionConflictException']);

/**
 * Turns a temporary error of the SDK into a TransientError StoreUnavailable with the service's own words. Passes every
 * other error on unchanged, for the caller that expects it.
 *
 * @param call `DynamoDB PutItem`
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function toDavitError(error: unknown, call: string): unknown {
  if (!isSdkError(error)) return error;
  if (isUnreadable(error)) {
    // Neither its message nor a cause: both quote the answer, which may be a secret.
    return new TransientError('StoreUnavailable', `${call}: the answer cannot be read as JSON`);
  }
  if (!mayPass(error)) return error;
  return new TransientError('StoreUnavailable', `${call}: ${describeError(error)}`, {}, { cause: error });
}

type SdkError = Parameters<typeof isTransientError>[0];

function isSdkError(error: unknown): error is SdkError {
  return isNativeError(error) && (error.cause === undefined || isNativeError(error.cause));
}

function mayPass(error: SdkError): boolean {
  return isThrottlingError(error) || isTransientError(error) || isServerError(error) || alsoTemporary.has(error.name);
}

/** The SDK's parser gives its error the answer, as a field that is not enumerable. */
function isUnreadable(error: Error): boolean {
  return error instanceof SyntaxError && '$response' in error;
}

const Answered = z.object({ $metadata: z.object({ requestId: z.string() }) });

/**
 * Describes an error for a message: `ThrottlingException: Rate exceeded [request 7]`. AWS finds the request by its id.
 */
function describeError(error: Error): string {
  const requestId = Answered.safeParse(error).data?.$metadata.requestId;
  return `${error.name}: ${error.message}${requestId === undefined ? '' : ` [request ${requestId}]`}`;
}
