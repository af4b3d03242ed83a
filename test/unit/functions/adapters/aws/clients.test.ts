import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  createLambdaClient,
  createSecretsManagerClient,
  createSfnClient,
} from '../../../../../functions/adapters/aws/clients.ts';
import { createDynamoClient } from '../../../../../functions/adapters/aws/create-dynamo-client.ts';
import type { ScriptedAws } from '../../../../support/start-scripted-aws.ts';
import { awsError, startScriptedAws } from '../../../../support/start-scripted-aws.ts';

let service: ScriptedAws;
const environmentBefore = { ...process.env };

beforeEach(async () => {
  service = await startScriptedAws([awsError(500, 'InternalServerError', 'sorry')]);
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' });
});

afterEach(async () => {
  process.env = { ...environmentBefore };
  await service.stop();
});

test.each([
  ['DYNAMODB', () => createDynamoClient().send(new ListTablesCommand())],
  ['LAMBDA', () => createLambdaClient().send(new InvokeCommand({ FunctionName: 'clean-up' }))],
  ['SECRETS_MANAGER', () => createSecretsManagerClient().send(new GetSecretValueCommand({ SecretId: 'webhook' }))],
  ['SFN', () => createSfnClient().send(new ListStateMachinesCommand())],
])('a client asks three times, at the endpoint that AWS_ENDPOINT_URL_%s names', async (name, send) => {
  process.env[`AWS_ENDPOINT_URL_${name}`] = service.clientConfig.endpoint;

  await expect(send()).rejects.toMatchObject({ name: 'InternalServerError' });

  expect(service.requests).toHaveLength(3);
});
