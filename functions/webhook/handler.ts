import {
  createDynamoClient,
  createLambdaClient,
  createSecretsManagerClient,
  createSfnClient,
} from '../adapters/aws/clients.ts';
import { createDynamoLaunches } from '../adapters/aws/create-dynamo-launches.ts';
import { createLambdaCleanUps } from '../adapters/aws/create-lambda-clean-ups.ts';
import { createSecrets } from '../adapters/aws/create-secrets.ts';
import { createSfnExecutions } from '../adapters/aws/create-sfn-executions.ts';
import { bundledConfig, environment } from '../config.ts';
import { httpHandler } from '../http/http-handler.ts';
import { logger } from '../logger.ts';
import { answerWebhook } from './webhook.ts';

const { profiles, webhooks } = bundledConfig();
const secrets = createSecrets({ client: createSecretsManagerClient() });
const deps = {
  profiles,
  webhooks,
  readSecret: (id: string) => secrets.read(id),
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

/** Takes the webhooks of CI systems. */
export const handler = httpHandler((request) => answerWebhook(deps, request), logger);
