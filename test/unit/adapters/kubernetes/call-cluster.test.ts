import { openClusters } from '../../../../adapters/kubernetes/open-clusters.ts';
import type { Cluster } from '../../../../ports/cluster.ts';
import { byKubeconfig } from '../../../support/by-kubeconfig.ts';
import { event, json, kubeconfigOf, refusal, watch } from '../../../support/fake-api-server.ts';
import { clusterAt, impatience, podJson, podManifest, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();

const unauthorized = refusal(401, 'Unauthorized', 'Unauthorized');
const quotaConflict = refusal(
  409,
  'Conflict',
  'Operation cannot be fulfilled on resourcequotas "agents": the object has been modified; please apply your changes to the latest version and try again',
);

/** A cluster whose secret changes when it is read anew, and the number of those reads. */
async function rotatedCluster(): Promise<{ cluster: Cluster; refreshes: () => number }> {
  let refreshes = 0;
  const secrets = {
    read: async () => kubeconfigOf(server.url, 'old'),
    refresh: async () => {
      refreshes += 1;
      return kubeconfigOf(server.url, 'new');
    },
  };
  const clusters = [{ name: 'test', kubeconfigSecret: 'kubeconfig' }];
  return {
    cluster: await openClusters(clusters, byKubeconfig(secrets), impatience)('test'),
    refreshes: () => refreshes,
  };
}

const tokensSeen = () => server.requests.map(({ authorization }) => authorization);

describe('a 401', () => {
  test('makes davit read the secret again and repeat the call with it', async () => {
    server.answer(unauthorized, json(200, podJson('7')));
    const { cluster, refreshes } = await rotatedCluster();

    expect((await cluster.pods.get('agents', 'davit-x'))?.metadata.uid).toBe('pod-uid-1');
    await cluster.services.delete('agents', 'davit-x', 'service-uid-1');

    expect(tokensSeen()).toEqual(['Bearer old', 'Bearer new', 'Bearer new']);
    expect(refreshes()).toBe(1);
  });

  test('that comes again is terminal, and the error names the kind of credential', async () => {
    server.answer(unauthorized);
    const { cluster, refreshes } = await rotatedCluster();

    await expect(cluster.pods.get('agents', 'davit-x')).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'ClusterUnauthorized',
      detail: `get pods at ${server.url}: HTTP 401: Unauthorized; authenticated by a bearer token, and again after its secret was read a second time`,
      subject: { cluster: 'test', namespace: 'agents', pod: 'davit-x' },
    });
    expect(tokensSeen()).toEqual(['Bearer old', 'Bearer new']);
    expect(refreshes()).toBe(1);
  });

  test('on a watch is handled in the same way', async () => {
    server.answer(json(200, podJson('7')), unauthorized, watch([event('DELETED', podJson('8'))]));
    const { cluster } = await rotatedCluster();

    const seen = [];
    for await (const pod of cluster.pods.observe('agents', 'davit-x', { forMs: 10_000 })) seen.push(pod?.metadata.uid);

    expect(seen).toEqual(['pod-uid-1', undefined]);
    expect(tokensSeen()).toEqual(['Bearer old', 'Bearer old', 'Bearer new']);
  });
});

const throttled = (seconds: string) => refusal(429, 'TooManyRequests', 'slow down', { 'retry-after': seconds });

describe('a throttled call', () => {
  test('is repeated after the short time that the server asks for', async () => {
    server.answer(throttled('0'), json(200, podJson('7')));
    const { pods } = await clusterAt(server.url);

    expect((await pods.get('agents', 'davit-x'))?.metadata.uid).toBe('pod-uid-1');
  });

  test('is repeated once, and the error says so', async () => {
    server.answer(throttled('0'));
    const { pods } = await clusterAt(server.url);

    await expect(pods.get('agents', 'davit-x')).rejects.toMatchObject({
      name: 'TransientError',
      code: 'ClusterThrottled',
      detail: `get pods at ${server.url}: HTTP 429: slow down; Retry-After: 0 s; asked again after 0 s, as the server asked`,
    });
    expect(server.requests).toHaveLength(2);
  });

  test('with a longer Retry-After is left to the state machine', async () => {
    server.answer(throttled('6'));
    const { pods } = await clusterAt(server.url);

    await expect(pods.get('agents', 'davit-x')).rejects.toThrow('HTTP 429: slow down; Retry-After: 6 s (');
    expect(server.requests).toHaveLength(1);
  });

  test('without a Retry-After is left to the state machine', async () => {
    server.answer(refusal(503, 'ServiceUnavailable', 'storage is (re)initializing'));
    const { pods } = await clusterAt(server.url);

    await expect(pods.get('agents', 'davit-x')).rejects.toMatchObject({ code: 'ClusterFault' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a 403', () => {
  const detail = 'pods is forbidden: User "davit" cannot get resource "pods" in API group "" in the namespace "agents"';
  const forbidden = refusal(403, 'Forbidden', detail);
  const forbiddenToAsk = refusal(403, 'Forbidden', 'forbidden: User "davit" cannot get path "/readyz"');
  const unready = refusal(500, 'InternalError', 'readyz check failed');
  const ready = json(200, 'ok');
  const paths = () => server.requests.map(({ path }) => path);
  const [pod, readyz] = ['/api/v1/namespaces/agents/pods/davit-x', '/readyz'];

  test('from a server that has just started passes: the call is repeated once the server is ready', async () => {
    server.answer(forbidden, forbiddenToAsk, unready, ready, json(200, podJson('7')));
    const { pods } = await clusterAt(server.url);

    expect((await pods.get('agents', 'davit-x'))?.metadata.uid).toBe('pod-uid-1');
    expect(paths()).toEqual([pod, readyz, readyz, readyz, pod]);
  });

  test('from a server that stays unready is left to the state machine', async () => {
    server.answer(forbidden, unready);
    const { pods } = await clusterAt(server.url);

    await expect(pods.get('agents', 'davit-x')).rejects.toMatchObject({
      name: 'TransientError',
      code: 'ClusterFault',
      detail: `the API server at ${server.url} is not ready: /readyz: HTTP 500`,
    });
  });

  test('that a ready server repeats is terminal', async () => {
    server.answer(forbidden, ready, forbidden);
    const { pods } = await clusterAt(server.url);

    await expect(pods.get('agents', 'davit-x')).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'ClusterForbidden',
      detail: `get pods at ${server.url}: HTTP 403: ${detail}; asked again once the API server was ready`,
    });
    expect(paths()).toEqual([pod, readyz, pod]);
  });

  test('from a server that refuses to say whether it is ready is terminal in the end', async () => {
    server.answer(forbidden);
    const { pods } = await clusterAt(server.url);

    await expect(pods.get('agents', 'davit-x')).rejects.toMatchObject({ code: 'ClusterForbidden' });
    expect(paths().at(-1)).toBe(pod);
  });
});

describe('a conflict of quotas inside the server', () => {
  test('is retried immediately', async () => {
    server.answer(quotaConflict, quotaConflict, quotaConflict, json(201, podJson('7')));
    const { pods } = await clusterAt(server.url);

    expect((await pods.create(podManifest))?.metadata.uid).toBe('pod-uid-1');
    expect(server.requests).toHaveLength(4);
  });

  test('that lasts is left to the state machine', async () => {
    server.answer(quotaConflict);
    const { pods } = await clusterAt(server.url);

    await expect(pods.create(podManifest)).rejects.toMatchObject({
      name: 'TransientError',
      code: 'WriteConflict',
      message: expect.stringContaining('; asked again at once, 3 times (cluster test'),
    });
    expect(server.requests).toHaveLength(4);
  });
});

test('one call may need every remedy', async () => {
  server.answer(
    refusal(429, 'TooManyRequests', 'slow down', { 'retry-after': '0' }),
    quotaConflict,
    refusal(403, 'Forbidden', 'pods is forbidden: User "davit" cannot create resource "pods"'),
    json(200, 'ok'),
    unauthorized,
    json(201, podJson('7')),
  );
  const { cluster } = await rotatedCluster();

  expect((await cluster.pods.create(podManifest))?.metadata.uid).toBe('pod-uid-1');
});
