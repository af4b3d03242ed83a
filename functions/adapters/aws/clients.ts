import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';

/**
 * What every client is made with; region, endpoint and credentials come from the environment.
 *
 * Standard retry: 3 attempts, backed off with full jitter (up to 50 and 100 ms; throttled: up to 1 and 2 s). A request
 * takes at most 3 s, connecting included, so a service that is silent costs 3 × 3 s + 0.15 s, and the functions that
 * answer callers have 15 s. Connections are kept alive by the SDK's default agent.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
 */
export const clientSettings = {
  maxAttempts: 3,
  retryMode: 'standard',
  // The SDK only warns of a request that takes too long unless it is told to throw; socketTimeout is for a body that
  // stops half-way, after requestTimeout has been satisfied by the headers.
  requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, socketTimeout: 3000, throwOnRequestTimeout: true },
} as const;

/** Makes the client of Step Functions. */
export function createSfnClient(): SFNClient {
  return new SFNClient(clientSettings);
}

/** Makes the client of Lambda. */
export function createLambdaClient(): LambdaClient {
  return new LambdaClient(clientSettings);
}

/** Makes the client of Secrets Manager. */
export function createSecretsManagerClient(): SecretsManagerClient {
  return new SecretsManagerClient(clientSettings);
}

/** Makes the client of EventBridge. */
export function createEventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient(clientSettings);
}
