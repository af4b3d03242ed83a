import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../../../core/config/read-config.ts';
import { saveKubeconfig, startSandbox, useKubeconfig } from '../../../../local/runtime/start-cluster.ts';
import { newFolder } from '../../../support/new-folder.ts';

const directory = newFolder();

test('a sandbox has the namespaces of all profiles, and writes its kubeconfig on request', async () => {
  const config = await readConfig('davit.yaml');
  const [first] = config.profiles;
  const profiles = ['one', 'two'].flatMap((namespace) => (first === undefined ? [] : [{ ...first, namespace }]));
  await using cluster = await startSandbox({ ...config, profiles }, directory, { images: {} });

  const namespaces = cluster.sandbox.store.list('namespaces').map(({ metadata }) => metadata.name);
  const before = await readdir(directory);
  await saveKubeconfig(cluster);

  expect(namespaces).toEqual(expect.arrayContaining(['one', 'two']));
  expect(before).not.toContain('kubeconfig');
  expect(await readFile(cluster.kubeconfigPath, 'utf8')).toBe(cluster.kubeconfig);
  expect(await useKubeconfig(cluster.kubeconfigPath)).toMatchObject({ kubeconfigPath: cluster.kubeconfigPath });
});

test('a kubeconfig is passed on without the need for its files and program', async () => {
  const token = "the program's token";
  const credential = { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: { token } };
  await writeFile(join(directory, 'ca.pem'), 'the authority');
  const path = join(directory, 'with-program');
  const exec = { apiVersion: credential.apiVersion, command: 'echo', args: [JSON.stringify(credential)] };
  const cluster = { server: 'https://127.0.0.1:6443', 'certificate-authority': join(directory, 'ca.pem') };
  await writeFile(
    path,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'x',
      clusters: [{ name: 'x', cluster }],
      users: [{ name: 'x', user: { exec } }],
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    }),
  );

  const { kubeconfig, renewKubeconfig } = await useKubeconfig(path);

  expect(JSON.parse(kubeconfig)).toMatchObject({
    clusters: [
      {
        cluster: {
          server: cluster.server,
          'certificate-authority-data': Buffer.from('the authority').toString('base64'),
        },
      },
    ],
    users: [{ user: { token } }],
  });
  expect(await renewKubeconfig?.()).toBe(kubeconfig);
});

test('a context is used by name, and a kubeconfig without it is refused', async () => {
  const path = join(directory, 'two-contexts');
  const contextOf = (name: string) => ({ name, context: { cluster: name, user: name } });
  await writeFile(
    path,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'east',
      clusters: ['east', 'west'].map((name) => ({ name, cluster: { server: `https://${name}` } })),
      users: ['east', 'west'].map((name) => ({ name, user: { token: name } })),
      contexts: ['east', 'west'].map(contextOf),
    }),
  );

  const { kubeconfig } = await useKubeconfig(path, 'west');

  expect(JSON.parse(kubeconfig)).toMatchObject({ clusters: [{ cluster: { server: 'https://west' } }] });
  await expect(useKubeconfig(path, 'north')).rejects.toThrow(`KUBECONFIG ${path}: has no context north with a cluster`);
});

test.each([
  ['is not there', undefined, 'cannot be read as a kubeconfig'],
  ['is no YAML', '{', 'cannot be read as a kubeconfig'],
  ['is empty', '', 'cannot be read as a kubeconfig'],
  ['has no context', 'apiVersion: v1\nkind: Config\n', 'has no current context'],
  [
    'has a context that is not there',
    'apiVersion: v1\nkind: Config\ncurrent-context: none\n',
    'has no current context',
  ],
])('a kubeconfig that %s is refused with its path', async (what, text, expected) => {
  const path = join(directory, what.replaceAll(' ', '-'));
  if (text !== undefined) await writeFile(path, text);

  await expect(useKubeconfig(path)).rejects.toThrow(`KUBECONFIG ${path}: ${expected}`);
});
