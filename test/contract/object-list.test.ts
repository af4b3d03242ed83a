import { openClusters } from '../../adapters/kubernetes/open-clusters.ts';
import { MemoryStore } from '../../sandbox/store/memory-store.ts';
import { byKubeconfig } from '../support/by-kubeconfig.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';
import { TestClock } from '../support/test-clock.ts';
import { podDraft, startTestApi } from '../unit/sandbox/api/start-test-api.ts';
import { epochMs } from './launch-fixtures.ts';
import { describeObjectList, listedNamespace } from './object-list.contract.ts';

const ending: (() => PromiseLike<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** Opens a cluster that is the sandbox's API server and its store. */
async function openSandboxApi(store = new MemoryStore()) {
  store.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: listedNamespace } });
  const api = await startTestApi({ store });
  ending.push(() => api[Symbol.asyncDispose]());
  const kubeconfig = async () => api.kubeConfig.exportConfig();
  const secrets = { read: kubeconfig, refresh: kubeconfig };
  return await openClusters([{ name: 'sandbox', kubeconfigSecret: 'kubeconfig' }], byKubeconfig(secrets))('sandbox');
}

/** Puts this many Pods of one launch into a store. */
function addPods(store: MemoryStore, count: number): void {
  const metadata = { namespace: listedNamespace, labels: { launch: 'x' } };
  for (let index = 0; index < count; index += 1) {
    const name = `pod-${String(index).padStart(4, '0')}`;
    store.create('pods', { ...podDraft(name), metadata: { ...metadata, name } });
  }
}

describeObjectList('memory', async () => new MemoryCluster(new TestClock(epochMs)));
describeObjectList("the Kubernetes client on the sandbox's API", () => openSandboxApi());

test('a list of more than 500 objects comes in pages, each object once', async () => {
  const store = new MemoryStore();
  const { pods } = await openSandboxApi(store);
  addPods(store, 1001);

  const first = await pods.list(listedNamespace, { launch: 'x' });
  const second = await pods.list(listedNamespace, { launch: 'x' }, first.cursor);
  const third = await pods.list(listedNamespace, { launch: 'x' }, second.cursor);

  const pages = [first, second, third];
  expect(pages.map(({ items }) => items.length)).toEqual([500, 500, 1]);
  expect(pages.map(({ cursor }) => typeof cursor)).toEqual(['string', 'string', 'undefined']);
  expect(new Set(pages.flatMap(({ items }) => items.map(({ metadata }) => metadata.name))).size).toBe(1001);
});

test('a list whose cursor has expired starts again', async () => {
  const store = new MemoryStore();
  const { pods } = await openSandboxApi(store);
  addPods(store, 501);
  const { cursor } = await pods.list(listedNamespace, { launch: 'x' });
  store.delete('pods', listedNamespace, 'pod-0000', { gracePeriodSeconds: 0 });
  store.changes.compact(0);

  const again = await pods.list(listedNamespace, { launch: 'x' }, cursor);

  expect(again.items.map(({ metadata }) => metadata.name).slice(0, 2)).toEqual(['pod-0001', 'pod-0002']);
  expect(again.items).toHaveLength(500);
});
