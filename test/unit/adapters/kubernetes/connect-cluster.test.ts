import { openClusters } from '../../../../adapters/kubernetes/open-clusters.ts';
import type { Cluster } from '../../../../ports/cluster.ts';
import { byKubeconfig } from '../../../support/by-kubeconfig.ts';
import { json, kubeconfigOf } from '../../../support/fake-api-server.ts';
import { fixedSecrets } from '../../../support/fixed-secrets.ts';
import { podJson, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();
beforeEach(() => server.answer(json(200, podJson('7'))));

function clusterWith(token: string): Promise<Cluster> {
  const clusters = [{ name: 'test', kubeconfigSecret: 'kubeconfig' }];
  return openClusters(clusters, byKubeconfig(fixedSecrets(kubeconfigOf(server.url, token))))('test');
}

test.each(['hunter2\nhunter2', 'hunter2\r\nx: y', 'hunter2\0', 'hunter2 \u{1f6a2}'])(
  'a token that no header can carry is refused without being quoted: %j',
  async (token) => {
    const opened = clusterWith(token);

    await expect(opened).rejects.toMatchObject({ name: 'TerminalError', code: 'KubeconfigInvalid' });
    await expect(opened).rejects.not.toThrow(/hunter2/);
  },
);

test('a token is sent without its trailing line end', async () => {
  const { pods } = await clusterWith('hunter2\n');

  await pods.get('agents', 'davit-x');

  expect(server.requests[0]?.authorization).toBe('Bearer hunter2');
});

test.each(['nowhere', 'http://[', 'ftp://127.0.0.1', 'https://davit:hunter2@127.0.0.1'])(
  'a server address that is no URL, or has a password in it, is refused without being quoted: %s',
  async (url) => {
    const clusters = [{ name: 'test', kubeconfigSecret: 'kubeconfig' }];

    const opened = openClusters(clusters, byKubeconfig(fixedSecrets(kubeconfigOf(url))))('test');

    await expect(opened).rejects.toMatchObject({ name: 'TerminalError', code: 'KubeconfigInvalid' });
    await expect(opened).rejects.not.toThrow(/hunter2/);
  },
);
