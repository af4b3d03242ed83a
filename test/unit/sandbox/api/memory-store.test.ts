import type { StoreChange } from '../../../../sandbox/cluster-store.ts';
import { MemoryStore } from '../../../../sandbox/store/memory-store.ts';
import { StatusError } from '../../../../sandbox/store/status-error.ts';
import { podDraft, serviceDraft } from './start-test-api.ts';

const statusOf = (action: () => unknown): StatusError['status'] => {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('nothing was refused');
};

const nodePortOf = (service: { spec?: Record<string, unknown> }): unknown => {
  const ports = service.spec?.['ports'] as { nodePort?: number }[];
  return ports[0]?.nodePort;
};

describe('a new Pod', () => {
  test('has the defaults that clients see', () => {
    const store = new MemoryStore({ nowEpochMs: () => Date.UTC(2026, 0, 2, 3, 4, 5) });

    const pod = store.create('pods', podDraft('a'));

    expect(pod.metadata).toEqual({
      name: 'a',
      namespace: 'default',
      uid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      resourceVersion: '6',
      creationTimestamp: '2026-01-02T03:04:05Z',
    });
    expect(pod.spec).toMatchObject({
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
      serviceAccountName: 'default',
      containers: [{ name: 'agent', image: 'agent:1', imagePullPolicy: 'IfNotPresent' }],
    });
    expect(pod.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  test.each([
    ['agent', 'Always'],
    ['agent:latest', 'Always'],
    ['registry:5000/agent', 'Always'],
    ['registry:5000/agent:2', 'IfNotPresent'],
    [`agent@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
  ])('of image %s is pulled %s', (image, imagePullPolicy) => {
    const store = new MemoryStore();

    const pod = store.create('pods', podDraft('a', { containers: [{ name: 'agent', image }] }));

    expect(pod.spec).toMatchObject({ containers: [{ imagePullPolicy }] });
  });

  test.each([
    [{}, 'BestEffort'],
    [{ requests: { cpu: '1' } }, 'Burstable'],
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
  ])('with resources %j is %s', (resources, qosClass) => {
    const store = new MemoryStore();

    const pod = store.create('pods', podDraft('a', { containers: [{ name: 'c', image: 'i:1', resources }] }));

    expect(pod.status).toEqual({ phase: 'Pending', qosClass });
  });

  test('gets a name of its own from generateName', () => {
    const store = new MemoryStore();

    const names = Array.from(
      { length: 50 },
      () => store.create('pods', { ...podDraft(''), metadata: { generateName: 'a-' } }).metadata.name,
    );

    expect(new Set(names).size).toBe(50);
    expect(names).toEqual(names.map(() => expect.stringMatching(/^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/)));
  });
});

describe('the store refuses, word for word as kube-apiserver,', () => {
  test.each<[string, number, string, string, (store: MemoryStore) => unknown]>([
    [
      'an invalid Service name',
      422,
      'Invalid',
      `Service "1a" is invalid: metadata.name: Invalid value: "1a": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      (store) => store.create('services', serviceDraft('1a')),
    ],
    [
      'a container without an image and a name twice',
      422,
      'Invalid',
      'Pod "a" is invalid: [spec.containers[0].image: Required value, spec.containers[1].name: Duplicate value: "c"]',
      (store) => store.create('pods', podDraft('a', { containers: [{ name: 'c' }, { name: 'c', image: 'i' }] })),
    ],
    [
      'a label value with a space',
      422,
      'Invalid',
      `Pod "a" is invalid: metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      (store) =>
        store.create('pods', { ...podDraft('a'), metadata: { name: 'a', namespace: 'default', labels: { a: 'b c' } } }),
    ],
    [
      'a change of a Pod other than to its image',
      422,
      'Invalid',
      'Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
      (store) => {
        const pod = store.create('pods', podDraft('a'));
        store.update('pods', { ...pod, spec: { ...pod.spec, hostname: 'other' } });
      },
    ],
    [
      'a second binding',
      409,
      'Conflict',
      'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"',
      (store) => {
        const pod = store.create('pods', podDraft('a'));
        store.bind(pod, 'n1');
        store.bind(pod, 'n2');
      },
    ],
  ])('%s', (_, code, reason, message, action) => {
    const refused = { kind: 'Status', status: 'Failure', code, reason, message };

    expect(statusOf(() => action(new MemoryStore()))).toMatchObject(refused);
  });

  test('an invalid object with a cause for each field', () => {
    const { details } = statusOf(() => new MemoryStore().create('services', serviceDraft('a', { port: 0 })));

    expect(details).toEqual({
      name: 'a',
      kind: 'Service',
      causes: [
        {
          reason: 'FieldValueInvalid',
          field: 'spec.ports[0].port',
          message: 'Invalid value: 0: must be between 1 and 65535, inclusive',
        },
        {
          reason: 'FieldValueInvalid',
          field: 'spec.ports[0].targetPort',
          message: 'Invalid value: 0: must be between 1 and 65535, inclusive',
        },
      ],
    });
  });
});

describe('nodePorts', () => {
  test('are free again when their Service is deleted, or could not be created', () => {
    const store = new MemoryStore({ nodePorts: [30_001, 30_002] });
    store.create('services', serviceDraft('a'));

    const status = statusOf(() => store.create('services', serviceDraft('a')));
    store.delete('services', 'default', 'a');
    const ports = ['b', 'c'].map((name) => nodePortOf(store.create('services', serviceDraft(name))));

    expect(status.reason).toBe('AlreadyExists');
    expect(new Set(ports)).toEqual(new Set([30_001, 30_002]));
  });

  test('are not used by a dry run', () => {
    const store = new MemoryStore({ nodePorts: [30_001] });

    store.create('services', serviceDraft('a'), { dryRun: true });

    expect(nodePortOf(store.create('services', serviceDraft('b')))).toBe(30_001);
  });

  test('stay the same when a Service is replaced by its own manifest', () => {
    const store = new MemoryStore();
    const { spec } = store.create('services', serviceDraft('a'));

    const replaced = store.update('services', serviceDraft('a'));

    expect(replaced.spec).toEqual(spec);
  });
});

describe('deleting', () => {
  test('a bound Pod waits for the kubelet, and may be brought forward but not put off', () => {
    const store = new MemoryStore({ nowEpochMs: () => Date.UTC(2026, 0, 1) });
    store.bind(store.create('pods', podDraft('a')), 'n1');

    const marked = store.delete('pods', 'default', 'a', { gracePeriodSeconds: 20 }).metadata;
    const sooner = store.delete('pods', 'default', 'a', { gracePeriodSeconds: 5 }).metadata;
    const notLater = store.delete('pods', 'default', 'a', { gracePeriodSeconds: 60 }).metadata;
    store.delete('pods', 'default', 'a', { gracePeriodSeconds: 0 });

    expect(marked).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 20 });
    expect(sooner).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:05Z', deletionGracePeriodSeconds: 5 });
    expect(notLater).toEqual(sooner);
    expect(store.get('pods', 'default', 'a')).toBeUndefined();
  });

  test('a bound Pod that has ended is immediate', () => {
    const store = new MemoryStore();
    const pod = store.create('pods', podDraft('a'));
    store.bind(pod, 'n1');
    store.updateStatus('pods', pod, (status) => ({ ...status, phase: 'Succeeded' }));

    store.delete('pods', 'default', 'a');

    expect(store.get('pods', 'default', 'a')).toBeUndefined();
  });

  test('waits for finalizers, and no new ones can be added', () => {
    const store = new MemoryStore();
    const metadata = { name: 'a', namespace: 'default', finalizers: ['davit.dev/hold'] };
    store.create('services', { ...serviceDraft('a'), metadata });

    const marked = store.delete('services', 'default', 'a');
    const status = statusOf(() =>
      store.update('services', { ...marked, metadata: { ...marked.metadata, finalizers: ['a/b'] } }),
    );
    store.update('services', { ...marked, metadata: { ...marked.metadata, finalizers: [] } });

    expect(marked.metadata.deletionTimestamp).toBeDefined();
    expect(status.message).toContain('no new finalizers can be added if the object is being deleted');
    expect(store.get('services', 'default', 'a')).toBeUndefined();
  });
});

describe('a change', () => {
  test('is reported in order, even when a listener makes another one', () => {
    const store = new MemoryStore();
    const seen: string[] = [];
    store.subscribe('pods', ({ object }) => {
      if (object.metadata.name === 'a') store.create('pods', podDraft('b'));
    });
    store.subscribe('pods', ({ type, object }) => seen.push(`${type} ${object.metadata.name}`));

    store.create('pods', podDraft('a'));

    expect(seen).toEqual(['ADDED a', 'ADDED b']);
  });

  test('is reported only when it changes something', () => {
    const store = new MemoryStore();
    const pod = store.create('pods', podDraft('a'));
    const seen: StoreChange[] = [];
    store.subscribe('pods', (change) => seen.push(change));

    const updated = store.updateStatus('pods', pod, (status) => ({ ...status }));

    expect(seen).toEqual([]);
    expect(updated?.metadata.resourceVersion).toBe(pod.metadata.resourceVersion);
  });

  test('to a returned object does not change the store', () => {
    const store = new MemoryStore();
    const pod = store.create('pods', podDraft('a'));

    pod.metadata.labels = { hacked: 'yes' };

    expect(store.get('pods', 'default', 'a')?.metadata.labels).toBeUndefined();
  });

  test('to the status of a replaced Pod is dropped', () => {
    const store = new MemoryStore();
    const pod = store.create('pods', podDraft('a'));
    store.delete('pods', 'default', 'a');
    store.create('pods', podDraft('a'));

    expect(store.updateStatus('pods', pod, () => ({ phase: 'Failed' }))).toBeUndefined();
    expect(store.bind(pod, 'n1')).toBeUndefined();
    expect(store.get('pods', 'default', 'a')?.status).toMatchObject({ phase: 'Pending' });
  });
});
