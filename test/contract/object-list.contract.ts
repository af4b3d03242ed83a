import { describe, expect, test } from '@jest/globals';
import type { Manifest } from '../../functions/domain/manifest.ts';
import type { Cluster } from '../../functions/ports/cluster.ts';

/** The namespace that is listed. */
export const listedNamespace = 'davit-agents';

/** A Pod that nobody changes once it is there: it waits at a gate. */
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

/** Lists by labels to the end; the names, in no order that is promised. */
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

/**
 * What every cluster's list does.
 *
 * @param makeCluster gives a cluster whose namespace is empty each time
 */
export function describeObjectList(name: string, makeCluster: () => Promise<Cluster>): void {
  describe(`a list of objects (${name})`, () => {
    test('has those that have all of the labels, and no others', async () => {
      const cluster = await makeCluster();
      await cluster.pods.create(podManifest('both', { launch: 'x', agent: 'x-r2', team: 'core' }));
      await cluster.pods.create(podManifest('one', { launch: 'x' }));
      await cluster.pods.create(podManifest('another', { launch: 'x', agent: 'x-r3' }));
      await cluster.pods.create(podManifest('none', {}));

      expect(await namesWith(cluster, { launch: 'x', agent: 'x-r2' })).toEqual(new Set(['both']));
      expect(await namesWith(cluster, { launch: 'x' })).toEqual(new Set(['both', 'one', 'another']));
    });

    test('takes a value for itself, and not for the beginning of one', async () => {
      const cluster = await makeCluster();
      await cluster.pods.create(podManifest('short', { launch: 'github-1-2-1' }));
      await cluster.pods.create(podManifest('long', { launch: 'github-1-2-11' }));

      expect(await namesWith(cluster, { launch: 'github-1-2-1' })).toEqual(new Set(['short']));
    });

    test('has each object as it is read by its name', async () => {
      const cluster = await makeCluster();
      await cluster.pods.create(podManifest('x', { launch: 'x' }));

      const { items } = await cluster.pods.list(listedNamespace, { launch: 'x' });

      expect(items).toEqual([await cluster.pods.get(listedNamespace, 'x')]);
    });

    test('has what was created before it was asked for', async () => {
      const cluster = await makeCluster();
      for (let count = 1; count <= 20; count += 1) {
        await cluster.pods.create(podManifest(`pod-${count}`, { launch: 'x' }));

        expect((await namesWith(cluster, { launch: 'x' })).size).toBe(count);
      }
    });

    test('of nothing is an empty last page', async () => {
      const cluster = await makeCluster();

      expect(await cluster.pods.list(listedNamespace, { launch: 'x' })).toEqual({ items: [] });
    });

    test('is of one kind', async () => {
      const cluster = await makeCluster();
      await cluster.pods.create(podManifest('x', { launch: 'x' }));

      expect(await cluster.services.list(listedNamespace, { launch: 'x' })).toEqual({ items: [] });
    });
  });
}
