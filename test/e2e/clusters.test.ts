import type { Config } from '../../core/config/config.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import { until } from '../prove/cluster/until.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { comes, entered } from './moments.ts';
import { untilConnected } from './until-connected.ts';

const patienceMs = 180_000;
let davit: TestRuntime;
beforeAll(async () => {
  davit = await startTestRuntime({
    probeIntervalMs: 5000,
    changeConfig: withSpareCluster,
    otherClusters: { spare: {} },
  });
});
afterEach(() => {
  for (const { sandbox } of [davit.cluster, ...Object.values(davit.otherClusters)]) sandbox.faults.clear();
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

/** A second cluster with its own profile, and a profile whose Pods find no node. */
function withSpareCluster(config: Config): Config {
  const held = { agent: idle, spec: { nodeSelector: { disk: 'none' } } };
  const { profiles, ...others } = withProfiles(config, { held, spare: {} });
  return {
    ...others,
    clusters: [...config.clusters, { name: 'spare', kubeconfigSecret: 'davit-kubeconfig-spare' }],
    profiles: profiles.map((profile) => (profile.name === 'spare' ? { ...profile, clusters: ['spare'] } : profile)),
  };
}

test('a launch waits for a frozen API server, reports it, and continues when the server answers again', async () => {
  await untilConnected(davit, true);
  const polled = comes(davit, entered('PollHostIP'));
  const launchId = await davit.launches.request({ profile: 'held', jobId: 'frozen' });
  await polled;

  davit.cluster.sandbox.faults.add({ match: {}, effect: { kind: 'hang' } });
  const away = await untilConnected(davit, false);
  const waiting = await until('the launch reports that it waits', patienceMs, async () => {
    const { signal, status } = await davit.launches.show(launchId);
    return signal?.code === 'ClusterUnreachable' ? { signal, status } : undefined;
  });
  davit.cluster.sandbox.faults.clear();
  const back = await untilConnected(davit, true);
  const { signal } = await until('the launch is judged again', patienceMs, async () => {
    const shown = await davit.launches.show(launchId);
    return shown.signal?.code === 'Unschedulable' ? shown : undefined;
  });
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
  await davit.runtime.eventsPublished();

  expect(away).toMatchObject({ reason: 'TimedOut', error: expect.stringContaining('no answer in time') });
  expect(away.launches).toEqual({ launching: 1, connected: 0, cleaning: 0 });
  expect(waiting.status).toBe('launching');
  expect(waiting.signal.detail).toMatch(
    /^cluster sandbox is away \(TimedOut since \S+ after \d+ attempts; next attempt (?:at |within a minute)/,
  );
  expect(back.history.slice(0, 2)).toMatchObject([{ connected: true }, { connected: false, reason: 'TimedOut' }]);
  expect(signal?.detail).toContain('0/1 nodes are available');
  const told = davit.runtime.eventBus.events
    .filter(({ source, detail }) => source === 'davit.cluster' && detail['cluster'] !== 'spare')
    .map((event) => event['detail-type']);
  expect(told).toEqual(['ClusterConnected', 'ClusterDisconnected', 'ClusterConnected']);
});

test('a connected agent continues while its cluster is away', async () => {
  const launchId = await davit.launches.request({ profile: 'linux', jobId: 'connected' });
  await untilExecutionEnds(davit.runtime, launchId);
  await davit.launches.until(launchId, 'connected');

  davit.cluster.sandbox.faults.add({ match: {}, effect: { kind: 'drop', when: 'before' } });
  const away = await untilConnected(davit, false);
  const meanwhile = await davit.launches.show(launchId);
  davit.cluster.sandbox.faults.clear();
  await untilConnected(davit, true);
  const after = await davit.launches.show(launchId);

  expect(away).toMatchObject({ reason: 'Unreachable', launches: { launching: 0, connected: 1 } });
  expect([meanwhile.status, after.status]).toEqual(['connected', 'connected']);
  expect(meanwhile.signal).toBeUndefined();
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
});

test('while one cluster is away, launches on the other connect', async () => {
  await untilConnected(davit, true, 'spare');
  davit.otherClusters['spare']?.sandbox.faults.add({ match: {}, effect: { kind: 'drop', when: 'before' } });
  await untilConnected(davit, false, 'spare');

  const waiting = await davit.launches.request({ profile: 'spare', jobId: 'on the spare' });
  const launchId = await davit.launches.request({ profile: 'linux', jobId: 'on the first' });
  await davit.launches.until(launchId, 'connected');
  const { status } = await davit.launches.show(waiting);
  davit.otherClusters['spare']?.sandbox.faults.clear();
  await davit.launches.until(waiting, 'connected');

  expect(status).toBe('launching');
  const podNames = davit.otherClusters['spare']?.sandbox.store.list('pods').map(({ metadata }) => metadata.name);
  expect(podNames).toEqual([agentNameOf(waiting)]);
  for (const each of [waiting, launchId]) await davit.launches.end(each);
  for (const each of [waiting, launchId]) await davit.launches.until(each, 'terminated');
});
