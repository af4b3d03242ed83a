import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../../../core/config/read-config.ts';
import {
  fillSecrets,
  giveSecrets,
  localConfigOf,
  readSecretFiles,
  secretValue,
  unusedSecrets,
  withoutSecrets,
} from '../../../../local/runtime/local-secrets.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteSecrets } from '../../../../local/store/sqlite-secrets.ts';
import { newFolder } from '../../../support/new-folder.ts';

const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:ci/github-AbCdEf';
const config = await readConfig('davit.yaml');
const github = { name: 'github', provider: 'github', url: 'https://github.com' } as const;
const cluster = { kubeconfig: 'kubeconfig', kubeconfigPath: 'path' };
const ciSystems = [{ ...github, webhookSecret: 'ci/github' }];

test("a secret's ARN becomes its name, and a name stays", () => {
  const app = { id: 1, privateKeySecret: arn };
  const named = localConfigOf({
    ...config,
    ciSystems: [
      { ...github, webhookSecret: arn, app },
      { ...github, provider: 'gitea', webhookSecret: 'hook', tokenSecret: arn },
    ],
  });

  expect(named.ciSystems).toEqual([
    { ...github, webhookSecret: 'ci/github', app: { id: 1, privateKeySecret: 'ci/github' } },
    { ...github, provider: 'gitea', webhookSecret: 'hook', tokenSecret: 'ci/github' },
  ]);
  expect(named.clusters).toEqual(config.clusters);
});

test('an EKS cluster becomes one with a kubeconfig', () => {
  const clusters = [{ name: 'prod', eks: { clusterName: 'build-eu' } }];

  expect(localConfigOf({ ...config, clusters }).clusters).toEqual([
    { name: 'prod', kubeconfigSecret: 'davit-kubeconfig-prod' },
  ]);
});

test("creates a webhook's secret once, and keeps it", async () => {
  const secrets = sqliteSecrets(openStore(':memory:'));
  fillSecrets(secrets, { ...config, ciSystems }, cluster);
  const first = secretValue(secrets, ciSystems, 'github');

  fillSecrets(secrets, { ...config, ciSystems }, cluster);

  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(secretValue(secrets, ciSystems, 'github')).toBe(first);
});

test('a CI system without a secret of webhooks gets none', () => {
  const secrets = sqliteSecrets(openStore(':memory:'));
  const made: string[] = [];
  const keeper = { get: secrets.get, put: (name: string) => void made.push(name) };
  const withoutSecret = localConfigOf({ ...config, clusters: [], ciSystems: [github] });

  fillSecrets(keeper, withoutSecret, cluster);

  expect(made).toEqual(['davit-credential-key']);
  expect(withoutSecret.ciSystems).toEqual([github]);
  expect(() => secretValue(secrets, [github], 'github')).toThrow('davit takes no webhooks of github');
});

test('a CI system without an entry in the config has no secret', async () => {
  const secrets = sqliteSecrets(openStore(':memory:'));

  expect(() => secretValue(secrets, [], 'github')).toThrow('the config has no CI system github');
});

test('a kubeconfig that is given is not replaced by that of the usual cluster', () => {
  const secrets = sqliteSecrets(openStore(':memory:'));
  const clusters = [
    { name: 'here', kubeconfigSecret: 'here' },
    { name: 'west', kubeconfigSecret: 'west' },
  ];
  const given = { west: "west's own" };

  fillSecrets(secrets, withoutSecrets({ ...config, clusters }, given), cluster);
  giveSecrets(secrets, given);

  expect([secrets.get('here'), secrets.get('west')]).toEqual(['kubeconfig', "west's own"]);
});

describe('the files of secrets', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = newFolder();
    file = join(directory, 'file');
  });

  test('may end in a line break', async () => {
    await writeFile(file, 'secret\r\n');

    expect(await readSecretFiles([{ name: 'ci/github', file }])).toEqual({ 'ci/github': 'secret' });
  });

  test.each(['', '\n'])('are refused while they are empty: %j', async (text) => {
    await writeFile(file, text);

    await expect(readSecretFiles([{ name: 'ci/github', file }])).rejects.toThrow(
      `--secret ci/github: the file ${file} is empty`,
    );
  });

  test('are named with their option where there is none', async () => {
    await expect(readSecretFiles([{ name: 'ci/github', file }])).rejects.toThrow(
      /^--secret ci\/github: the file cannot be read: ENOENT: .*file'$/,
    );
  });

  test('are reported where davit.yaml names no such secret', () => {
    const files = ['ci/github', 'ci/githbu', 'davit-credential-key'].map((name) => ({ name, file }));

    expect(unusedSecrets({ ...config, ciSystems }, files)).toEqual([
      expect.stringMatching(/^warning: --secret ci\/githbu: davit\.yaml names no such secret\. It names .*ci\/github$/),
    ]);
  });
});
