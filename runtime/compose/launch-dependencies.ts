import type { AwsSettings } from '../../adapters/aws/client-settings.ts';
import { createSfnClient, createSfnExecutions } from '../../adapters/aws/create-sfn-executions.ts';
import type { DynamoClient } from '../../adapters/aws/dynamo-table.ts';
import type { Executions } from '../../ports/executions.ts';
import type { Launches } from '../../ports/launches.ts';
import { environment, traceHeader } from '../environment.ts';
import { composeLaunches } from './tables.ts';

/** The dependencies of a function that begins and ends launches. */
export interface LaunchDependencies {
  launches: Launches;
  executions: Executions;
  traceHeader: () => string | undefined;
  nowEpochMs: () => number;
}

/** Composes the launches' executions, from the environment. */
export function composeExecutions(settings?: AwsSettings): Executions {
  return createSfnExecutions({
    client: createSfnClient(settings),
    stateMachineArn: environment('DAVIT_STATE_MACHINE_ARN'),
  });
}

/** Composes these dependencies, from the environment. @param settings of the client of Step Functions */
export function composeLaunchDependencies(client: DynamoClient, settings?: AwsSettings): LaunchDependencies {
  return {
    launches: composeLaunches(client),
    executions: composeExecutions(settings),
    traceHeader,
    nowEpochMs: Date.now,
  };
}
