import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../../core/config/config.ts';
import { readConfig } from '../../../../core/config/read-config.ts';
import { useContexts } from '../../../../local/runtime/named-contexts.ts';
import { accessTo } from '../../../../local/runtime/start-cluster.ts';
import { newFolder } from '../../../support/new-folder.ts';

const east = { name: 'east', context: 'kind-east' };
const west = { name: 'west', context: 'kind-west' };

const directory = newFolder();
const clusters = ['east', 'west'].map((name) => ({ name, kubeconfigSecret: `kubeconfig-${name}` }));
const config: Config = { ...(await readConfig('davit.yaml')), clusters };

/** Writes a kubeconfig with the contexts kind-east and kind-west. @returns its path */
async function writeKubeconfig(current?: string): Promise<string> {
  const names = ['kind-east', 'kind-west'];
  const path = join(directory, `current-${current}`);
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: names.map((name) => ({ name, cluster: { server: `https://${name}` } })),
    users: names.map((name) => ({ name, user: { token: name } })),
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
  });
  await writeFile(path, text);
  return path;
}

async function serversOf(path: string, contexts: Parameters<typeof useContexts>[1]): Promise<(string | undefined)[]> {
  const cluster = await useContexts(path, contexts, config);
  return ['east', 'west'].map((name) => /https:\/\/[\w-]+/.exec(accessTo(cluster, name).kubeconfig)?.[0]);
}

test('each cluster has its own context, whatever the current one is', async () => {
  expect(await serversOf(await writeKubeconfig(), [west, east])).toEqual(['https://kind-east', 'https://kind-west']);
});

test('a cluster without a context of its own uses the current one', async () => {
  expect(await serversOf(await writeKubeconfig('kind-east'), [west])).toEqual([
    'https://kind-east',
    'https://kind-west',
  ]);
});

test.each([
  [
    'for a cluster that is not in davit.yaml',
    { name: 'north', context: 'kind-north' },
    'davit.yaml has no cluster north, but east, west',
  ],
  ['for a cluster that has one', { ...east, context: 'other' }, 'east has a context already, kind-east'],
  [
    'that the kubeconfig does not have',
    { ...west, context: 'other' },
    /KUBECONFIG .*: has no context other with a cluster/,
  ],
])('a context %s is refused with its option and name', async (_what, context, expected) => {
  const path = await writeKubeconfig('kind-east');

  const used = useContexts(path, [east, context], config);

  await expect(used).rejects.toThrow(expected);
  await expect(used).rejects.toThrow(`--cluster ${context.name}=${context.context}: `);
});

test('clusters that share a secret cannot have contexts of their own', async () => {
  const sharing = clusters.map(({ name }) => ({ name, kubeconfigSecret: 'builds' }));

  await expect(useContexts(await writeKubeconfig(), [east], { ...config, clusters: sharing })).rejects.toThrow(
    '--cluster east=kind-east: east and west share kubeconfigSecret builds; give each its own',
  );
});
