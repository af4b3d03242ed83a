import { createLambdaClient, createSfnClient } from '../adapters/aws/clients.ts';
import { createDynamoClient } from '../adapters/aws/create-dynamo-client.ts';
import { createDynamoLaunches } from '../adapters/aws/create-dynamo-launches.ts';
import { createLambdaCleanUps } from '../adapters/aws/create-lambda-clean-ups.ts';
import { createSfnExecutions } from '../adapters/aws/create-sfn-executions.ts';
import { environment, traceHeader } from '../config.ts';
import type { CleanUps } from '../ports/clean-ups.ts';
import type { Executions } from '../ports/executions.ts';
import type { Launches } from '../ports/launches.ts';

/** Puts together the launches table, from the environment. */
export function composeLaunches(): Launches {
  return createDynamoLaunches({ client: createDynamoClient(), tableName: environment('DAVIT_LAUNCHES_TABLE') });
}

/** The parts of a function that begins and ends launches. */
export interface LaunchParts {
  launches: Launches;
  executions: Executions;
  cleanUps: CleanUps;
  traceHeader: () => string | undefined;
  nowEpochMs: () => number;
}

/** Puts together what begins and ends launches, from the environment. */
export function composeLaunchParts(): LaunchParts {
  return {
    launches: composeLaunches(),
    executions: createSfnExecutions({
      client: createSfnClient(),
      stateMachineArn: environment('DAVIT_STATE_MACHINE_ARN'),
    }),
    cleanUps: createLambdaCleanUps({
      client: createLambdaClient(),
      functionName: environment('DAVIT_CLEAN_UP_FUNCTION'),
    }),
    traceHeader,
    nowEpochMs: Date.now,
  };
}
