import type { Manifest } from '../../core/pod/manifest.ts';
import type { Cluster } from '../../ports/cluster.ts';

/** The namespace to list. */
export const listedNamespace = 'davit-agents';

/** A Pod that no controller changes: it waits at a gate. */
function podManifest(name: string, labels: Record<string, string>): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: listedNamespace, labels, annotations: {} },
    spec: {
      schedulingGates: [{ name: 'davit.dev/contract' }],
      containers: [{ name: 'agent', image: 'registry.example/agent:1' }],
    },
  };
}

/** Lists by labels to the end; returns the names, in no particular order. */
async function namesWith(cluster: Cluster, labels: Record<string, string>): Promise<Set<string>> {
  const names = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await cluster.pods.list(listedNamespace, labels, cursor);
    for (const { metadata } of page.items) names.add(metadata.name);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return names;
}

/** The contract of every cluster's list. @param makeCluster returns a cluster with an empty namespace each time */
export function describeObjectList(name: string, makeCluster: () => Promise<Cluster>): void {
  describe(`a list of objects (${name})`, () => {
    let cluster: Cluster;
    beforeEach(async () => {
      cluster = await makeCluster();
    });

    test('has the objects that carry all of the labels, and no others', async () => {
      await cluster.pods.create(podManifest('both', { launch: 'x', agent: 'x-r2', team: 'core' }));
      await cluster.pods.create(podManifest('one', { launch: 'x' }));
      await cluster.pods.create(podManifest('another', { launch: 'x', agent: 'x-r3' }));
      await cluster.pods.create(podManifest('none', {}));

      expect(await namesWith(cluster, { launch: 'x', agent: 'x-r2' })).toEqual(new Set(['both']));
      expect(await namesWith(cluster, { launch: 'x' })).toEqual(new Set(['both', 'one', 'another']));
    });

    test('matches a label by its whole value, not by its beginning', async () => {
      await cluster.pods.create(podManifest('short', { launch: 'github-1-2-1' }));
      await cluster.pods.create(podManifest('long', { launch: 'github-1-2-11' }));

      expect(await namesWith(cluster, { launch: 'github-1-2-1' })).toEqual(new Set(['short']));
    });

    test('has each object exactly as reading it by its name does', async () => {
      await cluster.pods.create(podManifest('x', { launch: 'x' }));

      const { items } = await cluster.pods.list(listedNamespace, { launch: 'x' });

      expect(items).toEqual([await cluster.pods.get(listedNamespace, 'x')]);
    });

    test('has every object that was created before the request', async () => {
      for (let count = 1; count <= 20; count += 1) {
        await cluster.pods.create(podManifest(`pod-${count}`, { launch: 'x' }));

        expect((await namesWith(cluster, { launch: 'x' })).size).toBe(count);
      }
    });

    test('is one empty page when nothing matches', async () => {
      expect(await cluster.pods.list(listedNamespace, { launch: 'x' })).toEqual({
        items: [],
        resourceVersion: expect.any(String),
      });
    });

    test('has objects of one kind only', async () => {
      await cluster.pods.create(podManifest('x', { launch: 'x' }));

      expect(await cluster.services.list(listedNamespace, { launch: 'x' })).toEqual({
        items: [],
        resourceVersion: expect.any(String),
      });
    });
  });
}
