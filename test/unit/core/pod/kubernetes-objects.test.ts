import { PodView } from '../../../../core/pod/kubernetes-objects.ts';

const metadata = { name: 'x', namespace: 'agents', uid: 'y', resourceVersion: '7' };

test("a Pod's owners, gates and limits are read", () => {
  const pod = {
    metadata: { ...metadata, ownerReferences: [{ uid: 'service-uid-1' }] },
    spec: {
      containers: [{ name: 'agent', resources: { limits: { memory: '512Mi' } } }],
      schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }],
    },
  };

  expect(PodView.parse(pod)).toEqual(pod);
});

test("the names of a container's variables are read, and not their values", () => {
  const containers = [{ name: 'agent', env: [{ name: 'TOKEN', value: 'secret' }] }];

  expect(PodView.parse({ metadata, spec: { containers } }).spec.containers).toEqual([
    { name: 'agent', env: [{ name: 'TOKEN' }] },
  ]);
});

test('a field with a deeply nested `length` is refused by name, without overflowing the stack', () => {
  const length: unknown = JSON.parse('['.repeat(5000) + ']'.repeat(5000));

  const { error } = PodView.safeParse({ metadata: { name: 'x', uid: 'y', resourceVersion: { length } } });

  expect(error?.issues).toContainEqual(
    expect.objectContaining({ path: ['metadata', 'resourceVersion'], expected: 'string' }),
  );
});
