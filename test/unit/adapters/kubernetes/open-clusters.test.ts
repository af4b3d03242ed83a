import { openClusters } from '../../../../adapters/kubernetes/open-clusters.ts';
import { byKubeconfig } from '../../../support/by-kubeconfig.ts';
import { json, kubeconfigOf, refusal } from '../../../support/fake-api-server.ts';
import { fixedSecrets } from '../../../support/fixed-secrets.ts';
import { clusterAt, podJson, podManifest, serverOfEachTest } from './fixtures.ts';

const server = serverOfEachTest();

const notFound = refusal(404, 'NotFound', 'pods "davit-x" not found');

describe('create', () => {
  test('sends the manifest unchanged and returns what was stored', async () => {
    server.answer(json(201, podJson('7')));
    const { pods } = await clusterAt(server.url);

    const created = await pods.create(podManifest);

    expect(created?.metadata).toMatchObject({ uid: 'pod-uid-1', resourceVersion: '7' });
    expect(server.requests).toMatchObject([
      { method: 'POST', path: '/api/v1/namespaces/agents/pods', body: podManifest },
    ]);
  });
});

describe('get', () => {
  test('returns the object, with unparsed times', async () => {
    const { metadata, ...rest } = podJson('7', { phase: 'Running', hostIP: '10.0.0.7' });
    server.answer(json(200, { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:04Z' } }));
    const { pods } = await clusterAt(server.url);

    const pod = await pods.get('agents', 'davit-x');

    expect(Date.parse(pod?.metadata.deletionTimestamp ?? '')).toBe(1_767_225_604_000);
    expect(pod?.status).toEqual({ phase: 'Running', hostIP: '10.0.0.7' });
    expect(server.requests).toMatchObject([{ method: 'GET', path: '/api/v1/namespaces/agents/pods/davit-x' }]);
  });
});

describe('delete', () => {
  test.each([
    { resource: 'services', propagationPolicy: 'Foreground', fact: 'and a Service waits for what it owns' },
    { resource: 'pods', propagationPolicy: 'Background', fact: 'and a Service waits for its dependents' },
  ] as const)('deletes $resource by one uid, $fact', async ({ resource, propagationPolicy }) => {
    server.answer(json(200, podJson('9')));
    const cluster = await clusterAt(server.url);

    await cluster[resource].delete('agents', 'davit-x', 'uid-1');

    expect(server.requests).toMatchObject([
      {
        method: 'DELETE',
        path: `/api/v1/namespaces/agents/${resource}/davit-x`,
        body: { preconditions: { uid: 'uid-1' }, propagationPolicy },
      },
    ]);
  });
});

describe('connections', () => {
  // A connection becomes free one turn of the event loop after its answer. A call within that turn opens a second one.
  const few = 2;

  test('are kept for all calls, including deletes with their bodies', async () => {
    server.answer(json(200, podJson('7')));
    const { pods, services } = await clusterAt(server.url);

    for (let calls = 0; calls < 10; calls += 1) {
      await pods.get('agents', 'davit-x');
      await services.delete('agents', 'davit-x', 'service-uid-1');
      await pods.create(podManifest);
    }

    expect(server.requests).toHaveLength(30);
    expect(server.connections()).toBeLessThanOrEqual(few);
  });

  test('are kept after refusals, too', async () => {
    server.answer(notFound);
    const { pods } = await clusterAt(server.url);

    for (let calls = 0; calls < 10; calls += 1) await pods.get('agents', 'davit-x');

    expect(server.connections()).toBeLessThanOrEqual(few);
  });
});

describe('opening a cluster', () => {
  const clusters = [{ name: 'test', kubeconfigSecret: 'kubeconfig' }];

  test('happens once, as long as its secret stays the same', async () => {
    const open = openClusters(clusters, byKubeconfig(fixedSecrets(kubeconfigOf(server.url))));

    expect(await open('test')).toBe(await open('test'));
  });

  test('happens again when its secret changes', async () => {
    const tokens = ['first', 'second'];
    server.answer(json(200, podJson('7')));
    const open = openClusters(
      clusters,
      byKubeconfig({
        read: async () => kubeconfigOf(server.url, tokens.shift()),
        refresh: async () => kubeconfigOf(server.url),
      }),
    );

    for (const { pods } of [await open('test'), await open('test')]) await pods.get('agents', 'davit-x');

    expect(server.requests.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test('fails for a cluster that the config does not have', async () => {
    await expect(openClusters(clusters, byKubeconfig(fixedSecrets('')))('other')).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'ProfileUnknown',
      message: 'ProfileUnknown: no cluster other (cluster other)',
    });
  });

  test('fails for a cluster whose kubeconfig is none, and the error does not quote it', async () => {
    const opened = openClusters(clusters, byKubeconfig(fixedSecrets('hunter2')))('test');

    await expect(opened).rejects.toMatchObject({ name: 'TerminalError', code: 'KubeconfigInvalid' });
    await expect(opened).rejects.not.toThrow(/hunter2/);
  });
});
