import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import * as z from 'zod';
import { type AwsSettings, createAwsClient } from '../../../../../functions/adapters/aws/aws-client.ts';
import {
  dynamoDb,
  eks,
  eventBridge,
  lambda,
  stepFunctions,
} from '../../../../../functions/adapters/aws/aws-services.ts';
import { invokeLater } from '../../../../../functions/adapters/aws/create-lambda-clean-ups.ts';
import { createJsonClient } from '../../../../../functions/adapters/aws/json-client.ts';
import type { RoleCredentials } from '../../../../../functions/config.ts';
import { readSignature, signatureOf } from '../../../../support/signature-of.ts';
import { awsError, awsOutput, type SeenRequest, startScriptedAws } from '../../../../support/start-scripted-aws.ts';

const user = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const role = { ...user, accessKeyId: 'ASIAIOSFODNN7EXAMPLE', sessionToken: 'a/session+token==' };

let service: Awaited<ReturnType<typeof startScriptedAws>>;
beforeEach(async () => {
  service = await startScriptedAws([awsOutput({})]);
});
afterEach(() => service.stop());

function settings(credentials: RoleCredentials = role): AwsSettings {
  return { ...service.settings, region: 'eu-central-1', credentials: () => credentials };
}

function seen(): SeenRequest {
  const request = service.requests.at(-1);
  if (request === undefined) throw new Error('nothing was asked');
  return request;
}

const arn = 'arn:aws:lambda:eu-central-1:111122223333:function:davit-clean-up:live';

test.each<[scope: string, ask: () => Promise<unknown>]>([
  ['dynamodb', () => createAwsClient(dynamoDb, settings()).send('x', { method: 'POST', path: '/', body: '{"a":"ä"}' })],
  ['states', () => createAwsClient(stepFunctions, settings()).send('x', { method: 'POST', path: '/', body: '{}' })],
  ['events', () => createAwsClient(eventBridge, settings()).send('x', { method: 'POST', path: '/', body: '{}' })],
  [
    'lambda',
    () => invokeLater({ client: createAwsClient(lambda, settings()), functionName: arn }, { launchId: 'job' }),
  ],
  ['eks', () => createAwsClient(eks, settings()).send('x', { method: 'GET', path: '/clusters/build-eu' })],
])('a request to %s has the signature that AWS computes of what came', async (scope, ask) => {
  await ask();

  const { accessKeyId, signature, ...signed } = readSignature(seen());
  expect(signature).toBe(signatureOf(seen(), role.secretAccessKey));
  expect(accessKeyId).toBe(role.accessKeyId);
  expect(signed.scope).toMatch(new RegExp(`^\\d{8}/eu-central-1/${scope}$`));
});

test('what matters of a request is signed: nobody on the way can change it', async () => {
  const client = createJsonClient(dynamoDb, settings());

  await client.call('GetItem', { TableName: 'launches' }, z.object({}));

  const { signedHeaders } = readSignature(seen());
  expect(signedHeaders).toEqual(
    expect.arrayContaining(['content-type', 'host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target']),
  );
  const changed = { ...seen(), body: '{"TableName":"tokens"}' };
  expect(signatureOf(changed, role.secretAccessKey)).not.toBe(readSignature(seen()).signature);
});

test('the SDK’s own requests have the signature that is computed here', async () => {
  const client = new SecretsManagerClient({ endpoint: service.url, region: 'eu-central-1', credentials: role });

  await client.send(new GetSecretValueCommand({ SecretId: 'webhook' }));
  client.destroy();

  expect(readSignature(seen()).signature).toBe(signatureOf(seen(), role.secretAccessKey));
});

test('a request is signed with the credentials of its moment', async () => {
  await service.stop();
  service = await startScriptedAws([awsError(500, 'InternalServerError', 'sorry'), awsOutput({})]);
  const known = [user, role];
  const credentials = () => known.shift() ?? role;
  const client = createAwsClient(eks, { ...service.settings, credentials, maxAttempts: 2 });

  await client.send('DescribeCluster', { method: 'GET', path: '/clusters/build-eu' });

  const [first, second] = service.requests;
  expect(first?.headers).not.toHaveProperty('x-amz-security-token');
  expect(second?.headers).toHaveProperty('x-amz-security-token', role.sessionToken);
});
