import * as z from 'zod';
import { TransientError } from '../../domain/errors.ts';

/** A call as errors name it: the service and its operation. */
export type AwsOperation = `${'DynamoDB' | 'EKS' | 'Lambda' | 'Secrets Manager' | 'Step Functions'} ${string}`;

/** What is read of an SDK error; `code` is Node's, of a connection that failed. */
const SdkError = z.object({
  name: z.string(),
  message: z.string(),
  code: z.string().optional(),
  $metadata: z.object({ httpStatusCode: z.number().optional(), requestId: z.string().optional() }).optional(),
});
type SdkError = z.infer<typeof SdkError>;

// The SDK's own list and, of the five services, what else means "later": Step Functions' limit of open executions, and
// KMS behind any of them.
const transientNames = new Set([
  'EC2ThrottledException',
  'ExecutionLimitExceeded',
  'KmsThrottlingException',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestTimeout',
  'RequestTimeoutException',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
]);

const connectionCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * Makes one call to AWS: the place where its errors get their type.
 *
 * @throws TransientError StoreUnavailable when the service could not be reached, did not answer in time, throttled, or
 * failed on its side, after the SDK's own retries; anything else as it came
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export async function callAws<Output>(operation: AwsOperation, call: () => Promise<Output>): Promise<Output> {
  try {
    return await call();
  } catch (error) {
    throw toTransient(operation, error);
  }
}

/** Turns an SDK error that may pass into a TransientError; returns any other error as it is. */
export function toTransient(operation: AwsOperation, error: unknown): unknown {
  const sdkError = SdkError.safeParse(error);
  if (!sdkError.success || !mayPass(sdkError.data)) return error;
  return new TransientError('StoreUnavailable', `${operation}: ${describe(sdkError.data)}`, {}, { cause: error });
}

function mayPass(error: SdkError): boolean {
  const status = error.$metadata?.httpStatusCode ?? 0;
  return status === 429 || status >= 500 || transientNames.has(error.name) || connectionCodes.has(error.code ?? '');
}

function describe(error: SdkError): string {
  const requestId = error.$metadata?.requestId;
  const said = [error.name, error.message || error.code].filter(Boolean).join(': ');
  return requestId === undefined ? said : `${said} [request ${requestId}]`;
}
