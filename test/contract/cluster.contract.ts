import type { Manifest } from '../../core/pod/manifest.ts';
import type { ObjectPort } from '../../ports/cluster.ts';
import { type ClusterUnderTest, newName, podManifest, serviceManifest } from './cluster-objects.ts';

interface View {
  metadata: { name: string; namespace: string; uid: string; resourceVersion: string; labels?: object | undefined };
}

interface ObjectsUnderTest {
  objects: ObjectPort<View>;
  namespace: string;
  manifest: (name: string) => Manifest;
}

const kinds: [string, (under: ClusterUnderTest) => ObjectsUnderTest][] = [
  [
    'Services',
    (under) => ({
      objects: under.cluster.services,
      namespace: under.namespace,
      manifest: (name) => serviceManifest(under, name),
    }),
  ],
  [
    'Pods',
    (under) => ({
      objects: under.cluster.pods,
      namespace: under.namespace,
      manifest: (name) => podManifest(under, name),
    }),
  ],
];

const longMs = 30_000;
const shortMs = 300;

/**
 * The contract of every cluster for Services and Pods.
 *
 * @param makeCluster may return the same one each time: every object has a unique name, and is deleted afterwards
 */
export function describeCluster(cluster: string, makeCluster: () => Promise<ClusterUnderTest>): void {
  const made: { objects: ObjectPort<View>; view: View }[] = [];
  afterEach(async () => {
    for (const { objects, view } of made.splice(0)) {
      const { namespace, name, uid } = view.metadata;
      await objects.delete(namespace, name, uid);
    }
  });

  /** Makes a manifest for an object that does not exist yet. */
  async function create(objects: ObjectPort<View>, manifest: Manifest): Promise<View> {
    const view = await objects.create(manifest);
    if (view === undefined) throw new Error(`${manifest.kind} ${manifest.metadata.name} exists`);
    made.push({ objects, view });
    return view;
  }

  describe.each(kinds)(`%s of a cluster (${cluster})`, (_kind, objectsOf) => {
    async function createOne() {
      const { objects, namespace, manifest } = objectsOf(await makeCluster());
      const name = newName();
      const { metadata } = await create(objects, manifest(name));
      return { objects, namespace, manifest, name, metadata };
    }

    test('are read as they were created', async () => {
      const { objects, namespace, manifest } = objectsOf(await makeCluster());
      const name = newName();

      const { metadata } = await create(objects, manifest(name));
      const read = await objects.get(namespace, name);

      expect(metadata).toMatchObject({ name, namespace, labels: { contract: name } });
      expect(read?.metadata).toMatchObject({ name, namespace, uid: metadata.uid, labels: { contract: name } });
    });

    test('are undefined when they do not exist', async () => {
      const { objects, namespace } = objectsOf(await makeCluster());

      expect(await objects.get(namespace, newName())).toBeUndefined();
    });

    test('are created once: the second time says so, and changes nothing', async () => {
      const { objects, namespace, manifest, name, metadata: first } = await createOne();

      const second = await objects.create(manifest(name));

      expect(second).toBeUndefined();
      expect((await objects.get(namespace, name))?.metadata.uid).toBe(first.uid);
    });

    test('are created once, however many callers create at the same time', async () => {
      const { objects, manifest } = objectsOf(await makeCluster());
      const name = newName();

      const views = await Promise.all(Array.from({ length: 5 }, () => objects.create(manifest(name))));

      const created = views.filter((view) => view !== undefined);
      for (const view of created) made.push({ objects, view });
      expect(created).toHaveLength(1);
    });

    test('are deleted by their uid', async () => {
      const { objects, namespace, name, metadata } = await createOne();

      await objects.delete(namespace, name, metadata.uid);
      await collect(objects.observe(namespace, name, { forMs: longMs }));

      expect(await objects.get(namespace, name)).toBeUndefined();
    });

    test('are left alone by a delete for another uid', async () => {
      const { objects, namespace, name, metadata } = await createOne();

      await objects.delete(namespace, name, '00000000-0000-0000-0000-000000000000');

      const left = await objects.get(namespace, name);
      expect(left?.metadata).toMatchObject({ uid: metadata.uid, resourceVersion: expect.any(String) });
      expect(left?.metadata).not.toHaveProperty('deletionTimestamp');
    });

    test('may be deleted twice, and deleting a missing one succeeds', async () => {
      const { objects, namespace, name, metadata } = await createOne();

      await objects.delete(namespace, name, metadata.uid);
      await objects.delete(namespace, name, metadata.uid);
      await collect(objects.observe(namespace, name, { forMs: longMs }));
      await objects.delete(namespace, name, metadata.uid);

      expect(await objects.get(namespace, name)).toBeUndefined();
    });

    test('are observed in their present state, then as undefined when they go', async () => {
      const { objects, namespace, name, metadata } = await createOne();

      const observed = objects.observe(namespace, name, { forMs: longMs })[Symbol.asyncIterator]();
      const first = await observed.next();
      await objects.delete(namespace, name, metadata.uid);
      const rest = await collect({ [Symbol.asyncIterator]: () => observed });

      expect(uidsOf([first.value])).toEqual([metadata.uid]);
      expect(uidsOf(rest.slice(0, -1))).toEqual(rest.slice(0, -1).map(() => metadata.uid));
      expect(rest.at(-1)).toBeUndefined();
    });

    test('are observed as undefined immediately when they do not exist', async () => {
      const { objects, namespace } = objectsOf(await makeCluster());

      expect(await collect(objects.observe(namespace, newName(), { forMs: longMs }))).toEqual([undefined]);
    });

    test('are observed from a version on, without anything older', async () => {
      const { objects, namespace, name, metadata } = await createOne();

      await objects.delete(namespace, name, metadata.uid);
      const since = metadata.resourceVersion;
      const observed = await collect(objects.observe(namespace, name, { since, forMs: longMs }));

      expect(observed.map((view) => view?.metadata.resourceVersion)).not.toContain(since);
      expect(observed.at(-1)).toBeUndefined();
    });

    test('are reported as gone when observed from a version of their lifetime', async () => {
      const { objects, namespace, name, metadata } = await createOne();
      await objects.delete(namespace, name, metadata.uid);
      const going = await collect(objects.observe(namespace, name, { forMs: longMs }));

      const since = metadata.resourceVersion;
      const past = await collect(objects.observe(namespace, name, { since, forMs: longMs }));

      expect(past.slice(-going.length)).toEqual(going);
    });

    test('are observed from version 0 as they are now, without earlier objects of the same name', async () => {
      const { objects, namespace, manifest, name, metadata: first } = await createOne();
      await objects.delete(namespace, name, first.uid);
      await collect(objects.observe(namespace, name, { forMs: longMs }));
      const second = await create(objects, manifest(name));

      const observed = await collect(objects.observe(namespace, name, { since: '0', forMs: shortMs }));

      expect(uidsOf(observed)).toEqual(observed.map(() => second.metadata.uid));
      expect(observed.length).toBeGreaterThan(0);
    });

    test('are observed from the version of a list, with each change after it', async () => {
      const { objects, namespace, manifest } = objectsOf(await makeCluster());
      const name = newName();
      const { metadata } = await create(objects, manifest(name));
      const { resourceVersion: since } = await objects.list(namespace, { contract: name });
      await objects.delete(namespace, name, metadata.uid);

      const observed = await collect(objects.observe(namespace, name, { since, forMs: longMs }));

      expect(uidsOf(observed.slice(0, -1))).toEqual(observed.slice(0, -1).map(() => metadata.uid));
      expect(observed.at(-1)).toBeUndefined();
    });

    test('are observed for whole milliseconds only', async () => {
      const { objects, namespace, name } = await createOne();

      const observing = collect(objects.observe(namespace, name, { forMs: 0.5 }));

      await expect(observing).rejects.toMatchObject({ name: 'RangeError' });
    });

    test('are observed for a given time, which ends without an error', async () => {
      const { objects, namespace, name, metadata } = await createOne();

      const observed = await collect(objects.observe(namespace, name, { forMs: shortMs }));

      expect(uidsOf(observed)).toEqual(observed.map(() => metadata.uid));
      expect(observed.length).toBeGreaterThan(0);
    });

    test('are observed until a signal aborts, which ends without an error', async () => {
      const { objects, namespace, name, metadata } = await createOne();
      const over = new AbortController();

      const seen: (View | undefined)[] = [];
      for await (const view of objects.observe(namespace, name, { forMs: longMs, signal: over.signal })) {
        seen.push(view);
        over.abort();
      }

      expect(uidsOf(seen.slice(0, 1))).toEqual([metadata.uid]);
    });

    test('are distinguished from later objects of the same name', async () => {
      const { objects, namespace, manifest, name, metadata: first } = await createOne();
      await objects.delete(namespace, name, first.uid);
      await collect(objects.observe(namespace, name, { forMs: longMs }));

      const second = await create(objects, manifest(name));
      await objects.delete(namespace, name, first.uid);
      const since = first.resourceVersion;
      const observed = await collect(objects.observe(namespace, name, { since, forMs: longMs }));

      expect(second.metadata.uid).not.toBe(first.uid);
      expect((await objects.get(namespace, name))?.metadata.uid).toBe(second.metadata.uid);
      expect(uidsOf(observed)).not.toContain(second.metadata.uid);
      expect(observed.at(-1)).toBeUndefined();
    });
  });

  describe(`a Service and its Pod (${cluster})`, () => {
    test('a Service has a nodePort for its port', async () => {
      const under = await makeCluster();
      const { services } = under.cluster;
      const name = newName();
      await create(services, serviceManifest(under, name));

      let ports: { port: number; nodePort?: number | undefined }[] | undefined;
      for await (const view of services.observe(under.namespace, name, { forMs: longMs })) {
        ports = view?.spec.ports;
        if (ports?.every(({ nodePort }) => nodePort !== undefined)) break;
      }

      expect(ports).toEqual([expect.objectContaining({ port: 8811, nodePort: expect.any(Number) })]);
    });

    test('a Service that is deleted takes its Pod along, and goes after it', async () => {
      const under = await makeCluster();
      const { services, pods } = under.cluster;
      const name = newName();
      const { metadata } = await create(services, serviceManifest(under, name));
      await create(pods, podManifest(under, name, metadata.uid));

      await services.delete(under.namespace, name, metadata.uid);
      const observed = await collect(services.observe(under.namespace, name, { forMs: longMs }));

      expect(observed.at(-1)).toBeUndefined();
      expect(await pods.get(under.namespace, name)).toBeUndefined();
    });

    test('a Pod that is deleted leaves its Service', async () => {
      const under = await makeCluster();
      const { services, pods } = under.cluster;
      const name = newName();
      const service = await create(services, serviceManifest(under, name));
      const pod = await create(pods, podManifest(under, name, service.metadata.uid));

      await pods.delete(under.namespace, name, pod.metadata.uid);
      await collect(pods.observe(under.namespace, name, { forMs: longMs }));

      expect((await services.get(under.namespace, name))?.metadata).not.toHaveProperty('deletionTimestamp');
    });
  });
}

/** Every observed state, until the observation ends. */
async function collect(observed: AsyncIterable<View | undefined>): Promise<(View | undefined)[]> {
  return Array.fromAsync(observed);
}

function uidsOf(views: (View | undefined)[]): (string | undefined)[] {
  return views.map((view) => view?.metadata.uid);
}
