import { createAwsClient } from '../adapters/aws/aws-client.ts';
import { lambda, stepFunctions } from '../adapters/aws/aws-services.ts';
import { createLambdaCleanUps } from '../adapters/aws/create-lambda-clean-ups.ts';
import { createSfnExecutions } from '../adapters/aws/create-sfn-executions.ts';
import { createJsonClient } from '../adapters/aws/json-client.ts';
import { environment, traceHeader } from '../config.ts';
import type { CleanUps } from '../ports/clean-ups.ts';
import type { Executions } from '../ports/executions.ts';
import type { Launches } from '../ports/launches.ts';
import { composeLaunches } from './launches.ts';

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
      client: createJsonClient(stepFunctions),
      stateMachineArn: environment('DAVIT_STATE_MACHINE_ARN'),
    }),
    cleanUps: createLambdaCleanUps({
      client: createAwsClient(lambda),
      functionName: environment('DAVIT_CLEAN_UP_FUNCTION'),
    }),
    traceHeader,
    nowEpochMs: Date.now,
  };
}
