import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applySecrets, planSecrets, type SecretVault, secretLine } from '../../../../cli/deploy/secrets.ts';
import { parseConfig } from '../../../../core/config/read-config.ts';
import { newFolder } from '../../../support/new-folder.ts';

const config = parseConfig(
  `clusters: [{ name: builds, kubeconfigSecret: kubeconfig }, { name: eks, eks: { clusterName: eks } }]
ciSystems:
  - { name: gitea, provider: gitea, url: https://gitea.example.com, webhookSecret: webhook, tokenSecret: token }
  - { name: own, provider: standard, webhookSecret: standard }
profiles: [{ name: linux, labels: [linux], clusters: [builds], namespace: agents, runner: gitea }]
`,
  'davit.yaml',
);

const ofSet = parseConfig(
  `clusters: [{ name: builds, kubeconfigSecret: kubeconfig }]
ciSystems:
  - name: hub
    provider: github
    tokenSecret: token
    events: scaleSet
    scaleSet: { organization: acme, profile: linux }
profiles: [{ name: linux, labels: [linux], clusters: [builds], namespace: agents, runner: github }]
`,
  'davit.yaml',
);

const folder = newFolder();
beforeAll(async () => {
  await writeFile(join(folder, 'token'), 'a-token\n');
  await writeFile(join(folder, 'kubeconfig'), 'apiVersion: v1\n');
  await writeFile(join(folder, 'empty'), '\n');
});

const file = (name: string) => join(folder, name);

function vaultOf(values: Record<string, string>, deleted: readonly string[] = []) {
  const changes: string[] = [];
  const vault: SecretVault = {
    find: async (id) => (deleted.includes(id) ? 'being deleted' : id in values ? 'exists' : 'missing'),
    read: async (id) => values[id] ?? '',
    make: async (name, value) => void changes.push(`make ${name} ${value}`),
    replace: async (id, value) => void changes.push(`replace ${id} ${value}`),
  };
  return { vault, changes };
}

const all = { webhook: 'w', token: 't', standard: 's', kubeconfig: 'k' };

test('no secret of webhooks is made for a CI system that needs none', async () => {
  const { vault } = vaultOf({});

  const plans = await planSecrets(ofSet, { token: file('token'), kubeconfig: file('kubeconfig') }, vault);

  expect(plans.map(({ id }) => id)).toEqual(['token', 'kubeconfig']);
});

test("a missing webhook's secret is made up; a given one is made from its file", async () => {
  const { vault, changes } = vaultOf({});

  const plans = await planSecrets(config, { token: file('token'), kubeconfig: file('kubeconfig') }, vault);
  await applySecrets(plans, vault);

  expect(plans.map(secretLine)).toEqual([
    'secret webhook (signs the webhooks of gitea): is made from random bytes',
    `secret token (davit's credential for gitea): is made from ${file('token')}`,
    'secret standard (signs the webhooks of own): is made from random bytes',
    `secret kubeconfig (the kubeconfig of the cluster builds): is made from ${file('kubeconfig')}`,
  ]);
  expect(changes).toEqual([
    expect.stringMatching(/^make webhook [0-9a-f]{64}$/),
    'make token a-token',
    expect.stringMatching(/^make standard whsec_[A-Za-z0-9+/]{43}=$/),
    'make kubeconfig apiVersion: v1',
  ]);
});

test('existing secrets are kept', async () => {
  const { vault, changes } = vaultOf(all);

  await applySecrets(await planSecrets(config, {}, vault), vault);

  expect(changes).toEqual([]);
});

test('a given value that is another one is a new version, and the same one is none', async () => {
  const { vault, changes } = vaultOf({ ...all, kubeconfig: 'apiVersion: v1' });

  await applySecrets(await planSecrets(config, { token: file('token'), kubeconfig: file('kubeconfig') }, vault), vault);

  expect(changes).toEqual(['replace token a-token']);
});

describe('a plan is refused', () => {
  test('when secrets are missing that nobody can make up: it names all of them', async () => {
    await expect(planSecrets(config, {}, vaultOf({}).vault)).rejects.toMatchObject({
      reason: 'usage',
      message: expect.stringMatching(
        /:\n {2}token: davit's credential for gitea\n {2}kubeconfig: the kubeconfig of the cluster builds$/,
      ),
      advice: 'Give each: --secret token=FILE --secret kubeconfig=FILE',
    });
  });

  test.each([
    ['davit.yaml does not name', { webhok: 'x' }, all, [], /^davit.yaml names no secret webhok$/],
    ['has no file', { token: 'nowhere/file' }, all, [], /^the file of the secret token: ENOENT/],
    [
      'is deleted',
      {},
      { webhook: 'w' },
      ['token'],
      /^the secret token is being deleted, and keeps its name until then$/,
    ],
  ])('for a secret that %s', async (_what, files, values, deleted, message) => {
    await expect(planSecrets(config, files, vaultOf(values, deleted).vault)).rejects.toMatchObject({
      reason: 'usage',
      message: expect.stringMatching(message),
    });
  });

  test('for an empty file', async () => {
    await expect(planSecrets(config, { token: file('empty') }, vaultOf(all).vault)).rejects.toThrow(/is empty$/);
  });
});
