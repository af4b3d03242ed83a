import { PendingError, TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import type { FailedCall, ReportedPlace } from '../../../../logic/cluster-reports/cluster-reporter.ts';
import { reportCalls } from '../../../../logic/cluster-reports/report-calls.ts';
import type { Cluster } from '../../../../ports/cluster.ts';
import { epochMs } from '../../../contract/launch-fixtures.ts';
import { MemoryCluster } from '../../../support/memory-cluster.ts';
import { portWith } from '../../../support/port-with.ts';
import { TestClock } from '../../../support/test-clock.ts';
import { podManifest } from '../../adapters/kubernetes/fixtures.ts';

const away = new TransientError('ClusterUnreachable', 'no answer in time', {}, { reason: 'TimedOut' });
const refuse = async () => Promise.reject(away);

/** @param changes what the cluster's own port of Pods does otherwise */
async function open(changes: Partial<Cluster['pods']> = {}) {
  const clock = new TestClock(epochMs);
  const said: (string | FailedCall | (FailedCall & { namespace: string }))[] = [];
  const reporter = {
    succeeded: async (cluster: string) => void said.push(`${cluster} answered`),
    failed: async ({ namespace }: ReportedPlace, call: FailedCall) =>
      void said.push(namespace === undefined ? call : { ...call, namespace }),
  };
  const real: Cluster = new MemoryCluster(clock);
  const cluster = { ...real, pods: portWith(real.pods, changes) };
  const openCluster = reportCalls(async () => cluster, { reporter, nowEpochMs: clock.nowEpochMs });
  return { clock, said, openCluster, cluster: await openCluster('eu-1') };
}

test('an answered call is reported, and opening a cluster is not', async () => {
  const { said, cluster } = await open();
  const before = [...said];

  await cluster.pods.get('ns', 'pod');
  await cluster.pods.list('ns', {});

  expect(before).toEqual([]);
  expect(said).toEqual(['eu-1 answered', 'eu-1 answered']);
});

test('a failed call is reported with its reason, its words and its start, and throws the same error', async () => {
  let wait = () => {};
  const { said, clock, cluster } = await open({
    get: async () => {
      wait();
      return refuse();
    },
  });

  wait = () => clock.advance(5000);

  await expect(cluster.pods.get('ns', 'pod')).rejects.toBe(away);

  expect(said).toEqual([{ reason: 'TimedOut', error: away.message, beganAtEpochMs: epochMs }]);
});

test.each([
  ['a full quota', new PendingError('QuotaExceeded', 'full')],
  ['a refused object', new TerminalError('AdmissionDenied', 'no')],
  ['a missing right', new TerminalError('ClusterForbidden', 'no')],
])('%s counts as an answer', async (_what, error) => {
  const { said, cluster } = await open({ list: async () => Promise.reject(error) });

  await expect(cluster.pods.list('ns', {})).rejects.toBe(error);

  expect(said).toEqual(['eu-1 answered']);
});

test.each([
  ['a missing namespace', new TerminalError('NamespaceMissing', 'not found'), 'NamespaceMissing'],
  ['a missing right', new TerminalError('ClusterForbidden', 'no'), 'Forbidden'],
  ['a webhook that is down', new TransientError('AdmissionUnavailable', 'down'), 'AdmissionUnavailable'],
])(
  '%s that a create meets is an answer of the cluster, and a failure in the namespace',
  async (_what, error, reason) => {
    const { said, cluster } = await open({ create: async () => Promise.reject(error) });

    await expect(cluster.pods.create(podManifest)).rejects.toBe(error);

    expect(said).toEqual([
      'eu-1 answered',
      { reason, error: error.message, beganAtEpochMs: epochMs, namespace: podManifest.metadata.namespace },
    ]);
  },
);

test('a create that is not answered is a failure of the cluster', async () => {
  const { said, cluster } = await open({ create: refuse });

  await expect(cluster.pods.create(podManifest)).rejects.toBe(away);

  expect(said).toEqual([{ reason: 'TimedOut', error: away.message, beganAtEpochMs: epochMs }]);
});

test('each change in an observation counts as an answer, and its end does not', async () => {
  const { said, cluster } = await open({
    async *observe() {
      yield undefined;
      yield undefined;
    },
  });

  await Array.fromAsync(cluster.pods.observe('ns', 'pod', { forMs: 1000 }));

  expect(said).toEqual(['eu-1 answered', 'eu-1 answered']);
});

test('an observation that waited for changes and then fails has failed since its last request', async () => {
  let wait = () => {};
  const { said, clock, cluster } = await open({
    async *observe() {
      yield undefined;
      wait();
      throw away;
    },
  });
  wait = () => clock.advance(20_000);

  await expect(Array.fromAsync(cluster.pods.observe('ns', 'pod', { forMs: 30_000 }))).rejects.toBe(away);

  expect(said).toEqual([
    'eu-1 answered',
    { reason: 'TimedOut', error: away.message, beganAtEpochMs: epochMs + 15_000 },
  ]);
});

test('leaving an observation ends the observation beneath it', async () => {
  let isEnded = false;
  const { cluster } = await open({
    async *observe() {
      try {
        for (;;) yield undefined;
      } finally {
        isEnded = true;
      }
    },
  });

  const observed = cluster.pods.observe('ns', 'pod', { forMs: 1000 })[Symbol.asyncIterator]();
  await observed.next();
  await observed.return?.();

  expect(isEnded).toBe(true);
});

test('a cluster that fails to open is reported', async () => {
  const said: FailedCall[] = [];
  const invalid = new TerminalError('KubeconfigInvalid', 'no YAML');
  const openCluster = reportCalls(async () => Promise.reject(invalid), {
    reporter: { succeeded: async () => {}, failed: async (_cluster, call) => void said.push(call) },
    nowEpochMs: () => epochMs,
  });

  await expect(openCluster('eu-1')).rejects.toBe(invalid);

  expect(said).toEqual([{ reason: 'KubeconfigInvalid', error: invalid.message, beganAtEpochMs: epochMs }]);
});

test('opening the same cluster twice returns the same object', async () => {
  const { openCluster, cluster } = await open();

  expect(await openCluster('eu-1')).toBe(cluster);
});
