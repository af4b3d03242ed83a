import { StandardRetryStrategy } from '@smithy/core/retry';
import type { Pluggable } from '@smithy/types';
import { homeRegion, type RoleCredentials, roleCredentials } from '../../runtime/environment.ts';
import { toDavitError } from './to-davit-error.ts';

/** The moment after which a client repeats no call, because a caller waits for the result. */
export interface RetryDeadline {
  /** @returns milliseconds; Infinity while nobody waits */
  remainingMs(): number;
}

/** The settings of a client. The SDK takes the others from the environment. */
export interface AwsSettings {
  region?: string;
  /** The service's URL. @default what `AWS_ENDPOINT_URL_<SERVICE>` says, or the region's own */
  endpoint?: string;
  /** @default the credentials of the function's role */
  credentials?: () => RoleCredentials;
  /** @default 3 */
  maxAttempts?: number;
  /** How long a service may be silent, before it answers and while it does. @default 3000 */
  requestMs?: number;
  /** How long connecting may take. @default 1000 */
  connectMs?: number;
  /**
   * When the client stops repeating a call, even if attempts are left. It always makes the first attempt.
   *
   * @default never
   */
  deadline?: RetryDeadline;
}

/**
 * Makes the settings that all clients of the SDK share.
 *
 * Each attempt has its own time-outs, because the SDK itself waits for as long as the connection is open. The SDK's
 * standard mode makes three attempts, and waits up to 50 and 100 ms between them, or up to 1 and 2 s when AWS throttles.
 * A call to a silent service fails after 3 × 3 s + 0.15 s. The SDK also repeats a write whose answer is lost, so each
 * write is conditional, a start by name, or an invocation that is safe to repeat.
 *
 * The credentials come from the environment, which Lambda sets once for the life of a process. The SDK's own chain of
 * providers would also search files, other services and the instance's metadata.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function clientSettings(settings: AwsSettings = {}) {
  const { region = homeRegion(), endpoint, credentials = roleCredentials, maxAttempts = 3 } = settings;
  const { requestMs = 3000, connectMs = 1000, deadline } = settings;
  return {
    region,
    credentials: async () => credentials(),
    maxAttempts,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: requestMs,
      socketTimeout: requestMs,
      throwOnRequestTimeout: true,
    },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(deadline === undefined ? {} : { retryStrategy: new RetriesInTime(maxAttempts, deadline) }),
  };
}

/** Repeats calls as the SDK's standard mode does, but begins no repetition after the deadline. */
class RetriesInTime extends StandardRetryStrategy {
  constructor(maxAttempts: number, deadline: RetryDeadline) {
    super(maxAttempts);
    const backoff = this.retryBackoffStrategy;
    const delayOf = backoff.computeNextBackoffDelay.bind(backoff);
    backoff.computeNextBackoffDelay = (attempt) => {
      const delayMs = delayOf(attempt);
      // The SDK throws the error of the last attempt instead.
      if (delayMs >= deadline.remainingMs()) throw new Error('there is no time for another attempt');
      return delayMs;
    };
  }
}

/** Turns the errors of all calls of a client into davit's error families, after the SDK's last attempt. */
export function davitErrors<Input extends object, Output extends object>(): Pluggable<Input, Output> {
  return {
    applyToStack(stack) {
      stack.add(
        (next, { clientName = '', commandName = '' }) =>
          async (call) => {
            try {
              return await next(call);
            } catch (error) {
              throw toDavitError(error, `${clientName.replace(/Client$/, '')} ${commandName.replace(/Command$/, '')}`);
            }
          },
        { step: 'initialize', priority: 'high', name: 'davitErrors' },
      );
    },
  };
}
