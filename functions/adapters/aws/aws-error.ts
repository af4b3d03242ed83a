import { ConnectionError } from '../http-client.ts';

/** An answer that is no success: its name is AWS's, as `ThrottlingException`, and the message too. */
export class AwsError extends Error {
  readonly status: number;
  /** By which AWS finds the request. */
  readonly requestId: string | undefined;

  constructor(
    name: string,
    message: string,
    { status, requestId }: { status: number; requestId?: string | undefined },
  ) {
    super(message);
    this.name = name;
    this.status = status;
    this.requestId = requestId;
  }
}

/** The name of the error that stands for an answer that cannot be read: what stands between may have made it. */
export const unreadable = 'UnreadableAnswer';

// The SDK's own lists and, of the services that davit calls, what else means "later": Step Functions' limit of open
// executions, and KMS behind any of them.
const throttlingNames = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'ExecutionLimitExceeded',
  'KmsThrottlingException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);
const passingNames = new Set(['RequestTimeout', 'RequestTimeoutException', 'TimeoutError', unreadable]);

/** Says whether an error is the one that AWS calls so. */
export function isAwsError(error: unknown, name: string): error is AwsError {
  return error instanceof AwsError && error.name === name;
}

/** Says whether AWS asks to be called less often. */
export function isThrottling(error: unknown): boolean {
  return error instanceof AwsError && (error.status === 429 || throttlingNames.has(error.name));
}

/**
 * Says whether the same call may work later: the service could not be reached, did not answer in time, throttled, or
 * failed on its side.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function mayPass(error: unknown): error is AwsError | ConnectionError {
  if (error instanceof ConnectionError || isThrottling(error)) return true;
  return error instanceof AwsError && (error.status >= 500 || passingNames.has(error.name));
}

/** Words an error for a message: `ThrottlingException: Rate exceeded [request 7]`. */
export function describeError(error: AwsError | ConnectionError): string {
  const request = error instanceof AwsError && error.requestId !== undefined ? ` [request ${error.requestId}]` : '';
  return `${error.name}: ${error.message}${request}`;
}
