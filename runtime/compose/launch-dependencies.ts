import type { AwsSettings } from '../../adapters/aws/client-settings.ts';
import { createSfnClient, createSfnExecutions } from '../../adapters/aws/create-sfn-executions.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import { createLambdaClient } from '../../adapters/aws/invoke-later.ts';
import type { Executions } from '../../ports/executions.ts';
import type { Launches } from '../../ports/launches.ts';
import type { CleanUps } from '../../ports/requests.ts';
import { environment, traceHeader } from '../environment.ts';
import { composeCleanUps } from './requests.ts';
import { composeLaunches } from './tables.ts';

/** The dependencies of a function that begins and ends launches. */
export interface LaunchDependencies {
  launches: Launches;
  executions: Executions;
  cleanUps: CleanUps;
  traceHeader: () => string | undefined;
  nowEpochMs: () => number;
}

/**
 * Composes these dependencies, from the environment.
 *
 * @param settings of the clients of the other services
 * @param lambda the client of Lambda. @default a new one
 */
export function composeLaunchDependencies(
  client: DynamoClient,
  settings?: AwsSettings,
  lambda = createLambdaClient(settings),
): LaunchDependencies {
  return {
    launches: composeLaunches(client),
    executions: createSfnExecutions({
      client: createSfnClient(settings),
      stateMachineArn: environment('DAVIT_STATE_MACHINE_ARN'),
    }),
    cleanUps: composeCleanUps(lambda),
    traceHeader,
    nowEpochMs: Date.now,
  };
}
