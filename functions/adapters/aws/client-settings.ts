import type { Pluggable } from '@smithy/types';
import { homeRegion, type RoleCredentials, roleCredentials } from '../../environment.ts';
import { toDavitError } from './to-davit-error.ts';

/** What a client is made with. The SDK takes the rest from the environment. */
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
}

/**
 * Makes the settings that all clients of the SDK share.
 *
 * Each attempt has its time-outs: the SDK itself waits for as long as the connection is open. The SDK's standard mode
 * makes three attempts, and waits up to 50 and 100 ms between them, or up to 1 and 2 s when AWS throttles. A service
 * that is silent fails after 3 × 3 s + 0.15 s. A write whose answer is lost is repeated too, so each write is a
 * conditional one, a start by name, or an invocation that repeats safely.
 *
 * The credentials are those of the environment, which Lambda sets once for the life of a process. The SDK's own chain
 * of providers would look for them in files, other services and the instance's metadata too.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export function clientSettings(settings: AwsSettings = {}) {
  const { region = homeRegion(), endpoint, credentials = roleCredentials, maxAttempts = 3 } = settings;
  const { requestMs = 3000, connectMs = 1000 } = settings;
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
  };
}

/** Gives the errors of all calls of a client their family, after the SDK's last attempt. */
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
