import type { LaunchStatus } from '../../../../core/launch/launch-record.ts';
import { answerClusters } from '../../../../functions/clusters/clusters.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../../../local/store/sqlite-cluster-states.ts';
import { epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';
import { send } from '../../../support/send-http.ts';
import { reportNamespaceAway } from '../../../support/two-clusters.ts';

async function makeDeps() {
  const clusterStates = sqliteClusterStates(openStore(':memory:'));
  const launches = new MemoryLaunches();
  let nowEpochMs = epochMs + 60_000;
  const made = {
    clusters: ['eu-1', 'us-1'],
    profiles: [{ clusters: ['eu-1'], namespace: 'agents' }],
    clusterStates,
    launches,
    nowEpochMs: () => nowEpochMs,
    later: (ms: number) => (nowEpochMs += ms),
  };
  await clusterStates.report({ cluster: 'eu-1', kind: 'works', endedAtEpochMs: epochMs, version: 'v1.34.2' });
  for (const ms of [10_000, 13_000, 16_000]) {
    const beganAtEpochMs = epochMs + ms;
    const times = {
      beganAtEpochMs,
      endedAtEpochMs: beganAtEpochMs + 2000,
      nextAttemptAtEpochMs: beganAtEpochMs + 4000,
    };
    const timedOut = { kind: 'failed', reason: 'TimedOut', error: 'no answer in time' } as const;
    await clusterStates.report({ cluster: 'eu-1', ...timedOut, ...times });
  }
  return made;
}

type Deps = Awaited<ReturnType<typeof makeDeps>>;

let deps: Deps;
beforeEach(async () => {
  deps = await makeDeps();
});

const list = () => send((request) => answerClusters(deps, request), { method: 'GET', path: '/clusters' });
const show = (name: string) =>
  send((request) => answerClusters(deps, request), { method: 'GET', path: '/clusters/{name}', parameters: { name } });

async function addLaunch(launchId: string, cluster: string, status: LaunchStatus): Promise<void> {
  await deps.launches.request(recordOf(launchId, { status, plan: planOf(launchId, { cluster }) }));
}

test('a disconnected cluster shows why, since when, how many attempts failed and when the next is made', async () => {
  const answer = await show('eu-1');

  expect(answer).toMatchObject({
    status: 200,
    body: {
      name: 'eu-1',
      connected: false,
      since: '2026-01-01T00:00:10.000Z',
      reason: 'TimedOut',
      error: 'no answer in time',
      attempts: 3,
      nextAttemptAt: '2026-01-01T00:00:20.000Z',
      lastSuccessAt: '2026-01-01T00:00:00.000Z',
      version: 'v1.34.2',
      history: [
        { connected: false, reason: 'TimedOut', error: 'no answer in time', at: '2026-01-01T00:00:10.000Z' },
        { connected: true, at: '2026-01-01T00:00:00.000Z' },
      ],
    },
  });
});

test('a namespace in which creates fail is shown as away, in a cluster that is connected', async () => {
  deps.profiles.push({ clusters: ['us-1'], namespace: 'builders' }, { clusters: ['us-1'], namespace: 'new' });
  await reportNamespaceAway(deps.clusterStates, 'us-1', 'builders', epochMs);

  const { body } = await show('us-1');

  expect(body).toMatchObject({
    connected: true,
    namespaces: [
      {
        name: 'builders',
        connected: false,
        since: '2026-01-01T00:00:00.000Z',
        reason: 'AdmissionUnavailable',
        error: 'failed calling webhook',
        attempts: 3,
      },
      { name: 'new', connected: 'unknown' },
    ],
    history: [
      { connected: true, at: '2026-01-01T00:00:00.000Z' },
      { namespace: 'builders', connected: false, reason: 'AdmissionUnavailable' },
    ],
  });
});

test('each cluster shows its launches under way and its connected agents', async () => {
  await addLaunch('api-a', 'eu-1', 'launching');
  await addLaunch('api-b', 'eu-1', 'connected');
  await addLaunch('api-c', 'us-1', 'connected');
  await addLaunch('api-d', 'us-1', 'failed');

  const answer = await list();

  expect(answer).toMatchObject({
    status: 200,
    body: {
      clusters: [
        { name: 'eu-1', connected: false, launches: { launching: 1, connected: 1, cleaning: 0 } },
        { name: 'us-1', connected: 'unknown', launches: { launching: 0, connected: 1, cleaning: 0 } },
      ],
    },
  });
});

test('a launch that is over is cleaned up in each cluster that it has used', async () => {
  const plan = planOf('api-moved', { cluster: 'eu-1' });
  const ended = { agentName: plan.agentName, cluster: 'us-1', code: 'ClusterAway', message: '' };
  const generations = [{ ...ended, endedAtEpochMs: epochMs }];
  await deps.launches.request(recordOf('api-moved', { status: 'cleaning', plan, generations }));

  const answer = await list();

  const launches = { launching: 0, connected: 0, cleaning: 1 };
  expect(answer).toMatchObject({ body: { clusters: [{ launches }, { launches }] } });
});

describe('a cluster that davit.yaml does not have', () => {
  test('is shown while launches use it', async () => {
    await addLaunch('api-a', 'old', 'connected');

    const { body } = await list();

    expect(body).toMatchObject({
      clusters: [
        { name: 'eu-1' },
        { name: 'us-1' },
        { name: 'old', connected: 'unknown', launches: { connected: 1 }, removed: { left: 0, commands: [] } },
      ],
    });
  });

  test('is shown with the command that removes what launches have left, and no longer once it works again', async () => {
    for (const launchId of ['api-a', 'api-b']) {
      const left = { kind: 'left', cluster: 'old', launchId, namespace: 'agents', atEpochMs: epochMs } as const;
      await deps.clusterStates.report(left);
    }

    const removed = await show('old');
    await deps.clusterStates.report({ kind: 'works', cluster: 'old', endedAtEpochMs: epochMs });
    const back = await show('old');

    const command = `kubectl --namespace agents delete services,pods -l 'davit.dev/launch-id in (api-a,api-b)'`;
    expect(removed).toMatchObject({ status: 200, body: { name: 'old', removed: { left: 2, commands: [command] } } });
    expect(back.status).toBe(404);
  });
});

test('a state without a report for five minutes is unknown since its last report', async () => {
  deps.later(300_000);

  const answer = await show('eu-1');

  expect(answer).toMatchObject({ body: { connected: 'unknown', since: '2026-01-01T00:00:18.000Z' } });
});

test('an unknown cluster is answered with the names of the known ones', async () => {
  const answer = await show('eu-2');

  expect(answer).toMatchObject({
    status: 404,
    body: { title: 'There is no such cluster', clusters: ['eu-1', 'us-1'] },
  });
});
