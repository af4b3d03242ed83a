import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openClusters } from '../../../../../functions/adapters/kubernetes/open-clusters.ts';
import type { Cluster } from '../../../../../functions/ports/cluster.ts';
import { type FakeApiServer, json, kubeconfigOf, startFakeApiServer } from '../../../../support/fake-api-server.ts';
import { podJson } from './fixtures.ts';

let server: FakeApiServer;
beforeEach(async () => {
  server = await startFakeApiServer();
  server.answer(json(200, podJson('7')));
});
afterEach(() => server.stop());

function clusterWith(token: string): Promise<Cluster> {
  const clusters = [{ name: 'test', kubeconfigSecret: 'kubeconfig' }];
  return openClusters(clusters, async () => kubeconfigOf(server.url, token))('test');
}

test.each(['hunter2\nhunter2', 'hunter2\r\nx: y', 'hunter2\0', 'hunter2 \u{1f6a2}'])(
  'a token that no header can carry is never told: %j',
  async (token) => {
    const { pods } = await clusterWith(token);

    const read = pods.get('agents', 'davit-x');

    await expect(read).rejects.toMatchObject({ name: 'TerminalError', code: 'KubeconfigInvalid' });
    await expect(read).rejects.not.toThrow(/hunter2/);
    expect(server.requests).toEqual([]);
  },
);

test('a line end after a token is not sent', async () => {
  const { pods } = await clusterWith('hunter2\n');

  await pods.get('agents', 'davit-x');

  expect(server.requests[0]?.authorization).toBe('Bearer hunter2');
});
