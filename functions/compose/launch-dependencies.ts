import { createLambdaCleanUps, createLambdaClient } from '../adapters/aws/create-lambda-clean-ups.ts';
import { createSfnClient, createSfnExecutions } from '../adapters/aws/create-sfn-executions.ts';
import { environment, traceHeader } from '../environment.ts';
import type { CleanUps } from '../ports/clean-ups.ts';
import type { Executions } from '../ports/executions.ts';
import type { Launches } from '../ports/launches.ts';
import { composeLaunches } from './launches.ts';

/** What a function that begins and ends launches depends on. */
export interface LaunchDependencies {
  launches: Launches;
  executions: Executions;
  cleanUps: CleanUps;
  traceHeader: () => string | undefined;
  nowEpochMs: () => number;
}

/** Composes what begins and ends launches, from the environment. */
export function composeLaunchDependencies(): LaunchDependencies {
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
