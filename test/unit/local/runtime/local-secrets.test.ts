import { expect, test } from '@jest/globals';
import { readConfig } from '../../../../config/read-config.ts';
import { fillSecrets, localConfigOf, secretValue } from '../../../../local/runtime/local-secrets.ts';
import { startSecretsManagerServer } from '../../../../local/secretsmanager/secretsmanager-server.ts';

const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:ci/github-AbCdEf';
const config = await readConfig('davit.yaml');
const webhooks = [{ provider: 'github' as const, secret: 'ci/github' }];

test("a secret's ARN becomes its name, and a name stays", () => {
  const named = localConfigOf({ ...config, webhooks: [{ provider: 'github', secret: arn }] });

  expect(named.webhooks).toEqual(webhooks);
  expect(named.clusters).toEqual(config.clusters);
});

test('an EKS cluster is one with a kubeconfig here', () => {
  const clusters = [{ name: 'prod', eks: { clusterName: 'build-eu' } }];

  expect(localConfigOf({ ...config, clusters }).clusters).toEqual([
    { name: 'prod', kubeconfigSecret: 'davit-kubeconfig-prod' },
  ]);
});

test("a webhook's secret is made once, and stays when it is asked for again", async () => {
  await using server = await startSecretsManagerServer();
  await fillSecrets(server, { ...config, webhooks }, 'kubeconfig');
  const first = await secretValue(server, webhooks, 'github');

  await fillSecrets(server, { ...config, webhooks }, 'kubeconfig');

  expect(first).toMatch(/^[\w-]{43}$/);
  expect(await secretValue(server, webhooks, 'github')).toBe(first);
});

test('a provider whose webhooks are not taken has no secret', async () => {
  await using server = await startSecretsManagerServer();

  await expect(secretValue(server, [], 'github')).rejects.toThrow('the config takes no webhooks from github');
});
