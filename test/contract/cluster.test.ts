import type { FaultAnswer, FaultRule } from '../../sandbox/faults.ts';
import { type SandboxCluster, startSandboxCluster } from '../../sandbox/sandbox-cluster.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';
import { newFolder } from '../support/new-folder.ts';
import { TestClock } from '../support/test-clock.ts';
import { describeCluster } from './cluster.contract.ts';
import { describeClusterErrors } from './cluster-errors.contract.ts';
import { type ClusterUnderTest, newName, openKubeconfig, podManifest, serviceManifest } from './cluster-objects.ts';
import { epochMs } from './launch-fixtures.ts';

const namespace = 'davit-agents';
const image = 'davit.dev/idle';

let sandbox: SandboxCluster;
let sandboxed: ClusterUnderTest;
let together: ClusterUnderTest;
const over = new AbortController();

beforeAll(async () => {
  const images = { [image]: { command: ['sleep', '3600'] } };
  sandbox = await startSandboxCluster({ namespace, node: { stateDirectory: newFolder(), images } });
  sandboxed = { cluster: await openKubeconfig(sandbox.kubeconfig), namespace, image };
  together = { cluster: await openKubeconfig(sandbox.kubeconfig, over.signal), namespace, image };
});
afterEach(() => sandbox.faults.clear());
afterAll(async () => {
  over.abort();
  await sandbox.stop();
});

describeCluster('memory', async () => {
  const cluster = new MemoryCluster(new TestClock(epochMs));
  cluster.terminationMs = 1000;
  return { cluster, namespace, image };
});
describeCluster('the Kubernetes client on the sandbox', async () => sandboxed);
describeCluster('the Kubernetes client on the sandbox, with shared watches', async () => together);
describeClusterErrors('the sandbox', async () => ({ kubeconfig: sandbox.kubeconfig, namespace, image }));

describe('a fault of the sandbox', () => {
  const quota: FaultAnswer = {
    code: 403,
    reason: 'Forbidden',
    message: 'pods "davit-x" is forbidden: exceeded quota: agents, requested: pods=1, used: pods=2, limited: pods=2',
  };
  const rangeFull: FaultAnswer = {
    code: 500,
    reason: 'InternalError',
    message: 'Internal error occurred: failed to allocate a nodePort: range is full',
  };
  const forbidden: FaultAnswer = {
    code: 403,
    reason: 'Forbidden',
    message:
      'pods is forbidden: User "davit" cannot create resource "pods" in API group "" in the namespace "davit-agents"',
  };
  const fault: FaultAnswer = { code: 500, reason: 'InternalError', message: 'etcdserver: request timed out' };
  const throttled: FaultAnswer = {
    code: 429,
    reason: 'TooManyRequests',
    message: 'too many requests',
    retryAfterSeconds: 1,
  };

  test.each([
    ['a full quota', quota, { name: 'PendingError', code: 'QuotaExceeded' }],
    ['a full range of nodePorts', rangeFull, { name: 'PendingError', code: 'NodePortRangeFull' }],
    ['a lack of rights', forbidden, { name: 'TerminalError', code: 'ClusterForbidden' }],
    ['a fault of the server', fault, { name: 'TransientError', code: 'ClusterFault' }],
    ['too many requests', throttled, { name: 'TransientError', code: 'ClusterThrottled' }],
  ])('%s becomes an error of its family, and nothing is created', async (_what, answer, expected) => {
    sandbox.faults.add({ match: { verb: 'create' }, effect: { kind: 'answer', answer } });
    const name = newName();

    await expect(sandboxed.cluster.pods.create(podManifest(sandboxed, name))).rejects.toMatchObject(expected);

    expect(await sandboxed.cluster.pods.get(namespace, name)).toBeUndefined();
  });

  test('a create that takes effect without an answer is transient, and the object exists', async () => {
    sandbox.faults.add({ match: { verb: 'create' }, effect: { kind: 'drop', when: 'after' } });
    const name = newName();

    const creating = sandboxed.cluster.services.create(serviceManifest(sandboxed, name));

    await expect(creating).rejects.toMatchObject({ name: 'TransientError', code: 'ClusterUnreachable' });
    expect(await sandboxed.cluster.services.get(namespace, name)).toMatchObject({ metadata: { name } });
  });

  test.each<[string, FaultRule['effect']]>([
    ['close at once', { kind: 'close-watch', afterMs: 0 }],
    ['are told that they are too old', { kind: 'expire-watch' }],
  ])('an observation outlives watches that %s', async (_what, effect) => {
    sandbox.faults.add({ match: { verb: 'watch' }, effect, count: 2 });
    const name = newName();
    const { pods } = sandboxed.cluster;
    const pod = await pods.create(podManifest(sandboxed, name));

    const observed = pods.observe(namespace, name, { forMs: 30_000 })[Symbol.asyncIterator]();
    await observed.next();
    await pods.delete(namespace, name, pod?.metadata.uid ?? '');
    const rest = await Array.fromAsync({ [Symbol.asyncIterator]: () => observed });

    expect(rest.at(-1)).toBeUndefined();
    expect(await pods.get(namespace, name)).toBeUndefined();
  });
});
