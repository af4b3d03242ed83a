/** Failures that only a create sees: reads go on, so each has to belong to the namespace in which it was proved. */

import { type DavitError, TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { type ProbeDeps, probe } from '../../../../functions/probe/probe.ts';
import { probeLimits } from '../../../../functions/probe/probe-limits.ts';
import { publishProbe } from '../../../../functions/probe/publish-probe.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../../../local/store/sqlite-cluster-states.ts';
import { awayClusters } from '../../../../logic/cluster-reports/away-clusters.ts';
import { epochMs } from '../../../contract/launch-fixtures.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';
import { RecordingMetrics } from '../../../support/recording-metrics.ts';
import { TestClock } from '../../../support/test-clock.ts';

const cluster = 'eu-1';
const minuteMs = 60_000;

/** A cluster whose reads work. A create in a namespace throws what `failing` has for it. */
function makeCluster(namespaces: readonly string[]) {
  const clock = new TestClock(epochMs);
  const clusterStates = sqliteClusterStates(openStore(':memory:'));
  const failing = new Map<string, DavitError>();
  const deps: ProbeDeps = {
    profiles: namespaces.map((namespace) => ({ clusters: [cluster], namespace })),
    openHealth: async () => ({
      look: async () => '1',
      prove: async (namespace: string) => {
        const error = failing.get(namespace);
        if (error !== undefined) throw error;
        return {};
      },
    }),
    clusterStates,
    launches: new MemoryLaunches(),
    sleep: clock.sleepMs,
    random: () => 0.5,
    nowEpochMs: clock.nowEpochMs,
    log: { error: () => {} },
    totalMs: probeLimits.totalMs,
  };
  /** Probes each minute, as the schedule does. */
  async function probeFor(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      const endsAtEpochMs = clock.nowEpochMs() + minuteMs;
      await probe(deps);
      await clock.sleepMs(Math.max(0, endsAtEpochMs - clock.nowEpochMs()));
    }
  }
  const isAway = async (namespace: string) =>
    (await awayClusters({ clusterStates, nowEpochMs: clock.nowEpochMs }, [cluster], namespace)).has(cluster);
  return { deps, clock, failing, probeFor, isAway, clusterStates };
}

const failures = [
  {
    what: 'an admission webhook that is down',
    error: new TransientError('AdmissionUnavailable', 'failed calling webhook'),
  },
  { what: 'a missing namespace', error: new TerminalError('NamespaceMissing', 'namespaces "agents" not found') },
  { what: 'a create that is forbidden', error: new TerminalError('ClusterForbidden', 'pods is forbidden') },
  {
    what: 'an admission webhook that never answers',
    error: new TransientError('ClusterUnreachable', 'no answer in time', {}, { reason: 'TimedOut' }),
  },
];

describe.each(failures)('$what', ({ error }) => {
  test('disconnects a namespace of a connected cluster within a minute and a half, and for as long as it lasts', async () => {
    const made = makeCluster(['agents']);
    await made.probeFor(2);
    made.failing.set('agents', error);

    await made.probeFor(2);
    const soon = await made.isAway('agents');
    await made.probeFor(23);

    expect(soon).toBe(true);
    expect(await made.isAway('agents')).toBe(true);
  });

  test('in one namespace of a cluster of unknown state blocks no other namespace', async () => {
    const made = makeCluster(['agents', 'builders']);
    made.failing.set('agents', error);

    await made.probeFor(2);

    expect(await made.isAway('agents')).toBe(true);
    expect(await made.isAway('builders')).toBe(false);
    expect(await made.clusterStates.get(cluster)).toMatchObject({ connected: true });
  });

  test('is over within seconds of the first create that works', async () => {
    const made = makeCluster(['agents']);
    made.failing.set('agents', error);
    await made.probeFor(3);
    made.failing.clear();

    await made.probeFor(1);

    expect(await made.isAway('agents')).toBe(false);
  });
});

test('a create that is answered by a conflict proves neither that launches work nor that they do not', async () => {
  const made = makeCluster(['agents']);
  const down = new TransientError('AdmissionUnavailable', 'failed calling webhook');
  made.failing.set('agents', down);
  await made.probeFor(1);
  made.failing.set('agents', new TransientError('WriteConflict', 'resourcequotas was modified'));
  await made.probeFor(1);

  expect(await made.isAway('agents')).toBe(true);

  const fresh = makeCluster(['agents']);
  fresh.failing.set('agents', new TransientError('WriteConflict', 'resourcequotas was modified'));
  await fresh.probeFor(1);

  expect(await fresh.clusterStates.get(cluster)).toMatchObject({ connected: true });
  expect(await fresh.clusterStates.get(cluster)).not.toHaveProperty('namespaces');
});

test('a first failure of a create is confirmed within seconds by the probe that it causes', async () => {
  const made = makeCluster(['agents', 'builders']);
  await made.probeFor(1);
  made.failing.set('agents', new TerminalError('NamespaceMissing', 'namespaces "agents" not found'));
  const began = made.clock.nowEpochMs();
  const failed = { beganAtEpochMs: began, endedAtEpochMs: began, error: 'not found' };
  const outcome = { namespace: 'agents', kind: 'failed', reason: 'NamespaceMissing', ...failed } as const;
  await made.clusterStates.report({ cluster, kind: 'namespace', outcome });

  await probe({ ...made.deps, totalMs: 10_000 }, { cluster });

  expect(await made.isAway('agents')).toBe(true);
  expect(await made.isAway('builders')).toBe(false);
});

test("a probe's report counts from the start of its look, not from its end", async () => {
  const made = makeCluster(['agents']);
  await made.probeFor(1);
  const { openHealth } = made.deps;
  const began = made.clock.nowEpochMs();
  made.deps.openHealth = async (name) => ({
    ...(await openHealth(name)),
    look: async () => {
      await made.clock.sleepMs(2000);
      throw new TransientError('ClusterUnreachable', 'no answer in time', {}, { reason: 'TimedOut' });
    },
  });
  // Another call is answered while the first look waits: the look says nothing new when it times out.
  made.clock.after(1000, () => {
    void made.clusterStates.report({ cluster, kind: 'answered', endedAtEpochMs: began + 1000 });
  });

  await probe({ ...made.deps, totalMs: 1 }, { cluster });
  const afterFirst = await made.clusterStates.get(cluster);
  await probe({ ...made.deps, totalMs: 10_000 }, { cluster });

  expect(afterFirst).not.toHaveProperty('failures');
  expect(await made.clusterStates.get(cluster)).toMatchObject({
    connected: false,
    sinceEpochMs: began + 2000,
  });
});

test('a namespace that is away counts in the metric of its cluster, for the alarm', async () => {
  const made = makeCluster(['agents']);
  made.failing.set('agents', new TerminalError('NamespaceMissing', 'namespaces "agents" not found'));
  const metrics = new RecordingMetrics();

  publishProbe(metrics, await probe(made.deps));
  made.failing.clear();
  publishProbe(metrics, await probe(made.deps));

  expect(metrics.points).toEqual([
    { name: 'ClustersDisconnected', value: 1, dimensions: { cluster } },
    { name: 'ClustersDisconnected', value: 0, dimensions: { cluster } },
  ]);
});
