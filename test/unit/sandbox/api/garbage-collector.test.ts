import type { KubeObject, OwnerReference, ResourceName } from '../../../../sandbox/cluster-store.ts';
import { startGarbageCollector } from '../../../../sandbox/store/garbage-collector.ts';
import { MemoryStore } from '../../../../sandbox/store/memory-store.ts';
import { eventually } from '../../../support/eventually.ts';
import { podDraft, serviceDraft } from './start-test-api.ts';

let store: MemoryStore;
let stop: () => void;

beforeEach(() => {
  store = new MemoryStore();
  stop = startGarbageCollector(store, 1);
});

afterEach(() => {
  stop();
});

const ownedBy = (...owners: KubeObject[]): OwnerReference[] =>
  owners.map(({ apiVersion, kind, metadata }) => ({
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    blockOwnerDeletion: true,
  }));

const createPod = (name: string, ownerReferences: OwnerReference[]): KubeObject =>
  store.create('pods', { ...podDraft(name), metadata: { name, namespace: 'default', ownerReferences } });

const exists = (resource: ResourceName, name: string): boolean => store.get(resource, 'default', name) !== undefined;

describe('the garbage collector', () => {
  test('collects an object that is created with a deleted owner', async () => {
    const service = store.create('services', serviceDraft('a'));
    store.delete('services', 'default', 'a');
    store.create('services', serviceDraft('a'));

    createPod('a', ownedBy(service));
    await eventually(() => expect(exists('pods', 'a')).toBe(false));

    expect(exists('services', 'a')).toBe(true);
  });

  test("leaves an object alone when it cannot look up the owner's kind", async () => {
    createPod('a', [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u' }]);
    createPod('b', [{ apiVersion: 'v1', kind: 'Service', name: 's', uid: 'u' }]);

    await eventually(() => expect(exists('pods', 'b')).toBe(false));

    expect(exists('pods', 'a')).toBe(true);
  });

  test('only unlinks an object that has another owner', async () => {
    const [one, other] = ['one', 'other'].map((name) => store.create('services', serviceDraft(name)));
    if (one === undefined || other === undefined) throw new Error('two Services were created');
    createPod('a', ownedBy(one, other));

    store.delete('services', 'default', 'one');
    await eventually(() => expect(store.get('pods', 'default', 'a')?.metadata.ownerReferences).toHaveLength(1));

    expect(store.get('pods', 'default', 'a')?.metadata.ownerReferences).toEqual(ownedBy(other));
  });

  test('in the foreground removes an owner without dependents immediately', async () => {
    store.create('services', serviceDraft('a'));

    store.delete('services', 'default', 'a', { propagationPolicy: 'Foreground' });

    await eventually(() => expect(exists('services', 'a')).toBe(false));
  });

  test('orphans the dependents on request', async () => {
    const service = store.create('services', serviceDraft('a'));
    createPod('a', ownedBy(service));

    store.delete('services', 'default', 'a', { propagationPolicy: 'Orphan' });
    await eventually(() => expect(exists('services', 'a')).toBe(false));

    expect(store.get('pods', 'default', 'a')?.metadata.ownerReferences).toEqual([]);
  });

  test('empties a Namespace before it goes, and admits nothing new to it', async () => {
    store.create('namespaces', { metadata: { name: 'team' } });
    const pod = store.create('pods', { ...podDraft('a'), metadata: { name: 'a', namespace: 'team' } });
    store.bind(pod, 'n1');

    const marked = store.delete('namespaces', undefined, 'team');
    await eventually(() => expect(store.get('pods', 'team', 'a')?.metadata.deletionTimestamp).toBeDefined());
    const create = (): KubeObject =>
      store.create('services', { ...serviceDraft('b'), metadata: { name: 'b', namespace: 'team' } });

    expect(marked.status).toEqual({ phase: 'Terminating' });
    expect(create).toThrow(
      'services "b" is forbidden: unable to create new content in namespace team because it is being terminated',
    );
    store.delete('pods', 'team', 'a', { gracePeriodSeconds: 0 });
    await eventually(() => expect(store.get('namespaces', undefined, 'team')).toBeUndefined());
    expect(store.list('serviceaccounts', 'team')).toEqual([]);
  });

  test('deletes Events that were last written more than an hour ago', async () => {
    const involvedObject = { kind: 'Pod', name: 'a', namespace: 'default' };
    const lastTimestamp = '2020-01-01T00:00:00Z';
    store.create('events', { metadata: { name: 'old', namespace: 'default' }, involvedObject, lastTimestamp });
    store.create('events', { metadata: { name: 'new', namespace: 'default' }, involvedObject });
    store.create('services', serviceDraft('a'));

    store.delete('services', 'default', 'a');
    await eventually(() => expect(exists('events', 'old')).toBe(false));

    expect(exists('events', 'new')).toBe(true);
  });
});
