import { createDynamoClient, createLambdaClient, createSfnClient } from '../adapters/aws/clients.ts';
import { createDynamoLaunches } from '../adapters/aws/create-dynamo-launches.ts';
import { createLambdaCleanUps } from '../adapters/aws/create-lambda-clean-ups.ts';
import { createSfnExecutions } from '../adapters/aws/create-sfn-executions.ts';
import { bundledConfig, environment } from '../config.ts';
import { httpHandler } from '../http/http-handler.ts';
import { logger } from '../logger.ts';
import { answerLaunches } from './launches.ts';

const deps = {
  profiles: bundledConfig().profiles,
  launches: createDynamoLaunches({ client: createDynamoClient(), tableName: environment('DAVIT_LAUNCHES_TABLE') }),
  executions: createSfnExecutions({
    client: createSfnClient(),
    stateMachineArn: environment('DAVIT_STATE_MACHINE_ARN'),
  }),
  cleanUps: createLambdaCleanUps({
    client: createLambdaClient(),
    functionName: environment('DAVIT_CLEAN_UP_FUNCTION'),
  }),
  nowEpochMs: Date.now,
};

/** Takes launches from CI servers that call directly, and shows and ends them for people. */
export const handler = httpHandler((request) => answerLaunches(deps, request), logger);
