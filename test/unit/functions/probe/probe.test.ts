import { TransientError } from '../../../../core/errors/errors.ts';
import { type ProbeDeps, placesOf, probe } from '../../../../functions/probe/probe.ts';
import { longestPauseMs, pauseAfter } from '../../../../functions/probe/probe-cluster.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../../../local/store/sqlite-cluster-states.ts';
import { epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';
import { TestClock } from '../../../support/test-clock.ts';

/** The state of a cluster from a moment on. */
interface Weather {
  fromMs: number;
  /** A `frozen` cluster gives no answer within 2 s. */
  is: 'well' | 'refusing' | 'frozen';
}

function makeProbe({ weather = [], random = 0.5 }: { weather?: Weather[]; random?: number } = {}) {
  const clock = new TestClock(epochMs);
  const states = sqliteClusterStates(openStore(':memory:'));
  const launches = new MemoryLaunches();
  const calls: string[] = [];
  const atMs = () => clock.nowEpochMs() - epochMs;
  async function ask(verb: string, cluster: string, namespace: string): Promise<void> {
    calls.push(`${atMs()} ${verb} ${cluster} ${namespace}`);
    const { is = 'well' } = weather.findLast(({ fromMs }) => fromMs <= atMs()) ?? {};
    if (is === 'frozen') await clock.sleepMs(2000);
    if (is === 'well') return;
    const reason = is === 'frozen' ? 'TimedOut' : 'Unreachable';
    throw new TransientError('ClusterUnreachable', 'no answer', { cluster }, { reason });
  }
  const deps: ProbeDeps = {
    profiles: [{ clusters: ['eu-1'], namespace: 'agents' }],
    openHealth: async (cluster) => ({
      look: async (namespace) => {
        await ask('look', cluster, namespace);
        return '1';
      },
      prove: async (namespace) => {
        await ask('prove', cluster, namespace);
        return { version: 'v1.34.2' };
      },
    }),
    clusterStates: states,
    launches,
    sleep: clock.sleepMs,
    random: () => random,
    nowEpochMs: clock.nowEpochMs,
    log: { error: () => {} },
    totalMs: 58_000,
  };
  return { deps, clock, states, launches, calls };
}

let made: ReturnType<typeof makeProbe>;
beforeEach(() => {
  made = makeProbe();
});

/** Adds a launch under way in the cluster. */
async function launchOn(cluster: string): Promise<void> {
  await made.launches.request(recordOf('api-x', { plan: planOf('api-x', { cluster }) }));
}

/** The changes of the cluster's state, in milliseconds since the start. */
async function changes(): Promise<unknown[]> {
  const { history = [] } = (await made.states.get('eu-1')) ?? {};
  return history.map(({ connected, atEpochMs }) => [connected, atEpochMs - epochMs]).toReversed();
}

test('a healthy idle cluster gets one look with a proof and one without', async () => {
  const report = await probe(made.deps);

  expect(made.calls).toEqual(['0 look eu-1 agents', '0 prove eu-1 agents', '8000 look eu-1 agents']);
  expect(report).toEqual({ clusters: [{ cluster: 'eu-1', connected: true, namespacesAway: [], looks: 2 }] });
  expect(await made.states.get('eu-1')).toMatchObject({ connected: true, version: 'v1.34.2' });
});

test('a cluster with launches is looked at every 2 s until the time is up', async () => {
  await launchOn('eu-1');

  await probe(made.deps);

  expect(made.calls).toHaveLength(30);
  expect(made.calls.at(-1)).toBe('56000 look eu-1 agents');
});

test('launches on other clusters cause no extra looks', async () => {
  await launchOn('us-1');

  await probe(made.deps);

  expect(made.calls).toHaveLength(3);
});

describe('davit reports a loss within 10 s while launches are under way', () => {
  test.each(['refusing', 'frozen'] as const)('when a server is %s', async (is) => {
    const lostMs = 10_001;
    made = makeProbe({ weather: [{ fromMs: lostMs, is }] });
    await launchOn('eu-1');
    const told: number[] = [];
    const report = made.states.report.bind(made.states);
    made.deps.clusterStates = {
      get: (cluster) => made.states.get(cluster),
      report: async (said) => {
        const state = await report(said);
        if (state.connected === false) told.push(made.clock.nowEpochMs() - epochMs);
        return state;
      },
    };

    await probe(made.deps);

    expect(told[0]).toBeGreaterThan(lostMs);
    expect(told[0]).toBeLessThanOrEqual(lostMs + 10_000);
  });
});

describe('a probe of one cluster', () => {
  const twoClusters = [{ clusters: ['eu-1', 'us-1'], namespace: 'agents' }];

  test('lets a healthy one prove it once, whatever launches it has', async () => {
    made.deps.profiles = twoClusters;
    await launchOn('eu-1');
    await probe(made.deps, { cluster: 'us-1' });
    made.calls.length = 0;

    const report = await probe(made.deps, { cluster: 'us-1' });

    expect(made.calls.map((call) => call.replace(/^\d+ /, ''))).toEqual(['look us-1 agents', 'prove us-1 agents']);
    expect(report.clusters).toEqual([{ cluster: 'us-1', connected: true, namespacesAway: [], looks: 1 }]);
  });

  test('disconnects a frozen one within 10 s of a call that timed out after 5 s, and sees its return', async () => {
    made = makeProbe({
      weather: [
        { fromMs: 1, is: 'frozen' },
        { fromMs: 20_000, is: 'well' },
      ],
    });
    await probe({ ...made.deps, totalMs: 0 });
    await made.clock.sleepMs(5001);
    const call = { beganAtEpochMs: epochMs + 1, endedAtEpochMs: epochMs + 5001 };
    await made.states.report({ cluster: 'eu-1', kind: 'failed', reason: 'TimedOut', error: 'no answer', ...call });

    await probe(made.deps, { cluster: 'eu-1' });

    const { history = [] } = (await made.states.get('eu-1')) ?? {};
    const begins = made.calls.map((each) => Number.parseInt(each, 10));
    expect(begins.slice(2, 11)).toEqual([5001, 5501, 6001, 6501, 7001, 7501, 8001, 8501, 9001]);
    expect(made.calls[10]).toBe('9001 look eu-1 agents');
    expect(history.slice(0, 2).map(({ connected }) => connected)).toEqual([true, false]);
  });
});

describe('a probe for a launch that begins', () => {
  test('watches its cluster for 25 s at least, even if the launch is over or not listed yet', async () => {
    await probe({ ...made.deps, totalMs: 0 });
    made.calls.length = 0;

    await probe(made.deps, { cluster: 'eu-1', isLaunching: true });

    expect(made.calls).toHaveLength(15);
    expect(made.calls.at(-1)).toBe('28000 look eu-1 agents');
  });

  test('leaves the looks to the one that watches already, which goes on', async () => {
    await probe({ ...made.deps, totalMs: 0 });
    const watching = probe(made.deps, { cluster: 'eu-1', isLaunching: true });
    await made.clock.sleepMs(10_000);

    const report = await probe(made.deps, { cluster: 'eu-1', isLaunching: true });
    await watching;

    expect(report).toEqual({ clusters: [] });
    expect(made.calls.at(-1)).toBe('38000 look eu-1 agents');
  });

  test('leaves a cluster that nobody has looked at to the schedule', async () => {
    await probe(made.deps, { cluster: 'eu-1', isLaunching: true });

    expect(made.calls).toEqual([]);
    expect(await made.states.get('eu-1')).toBeUndefined();
  });
});

test.each([0, 0.5, 0.999])('davit reports a return within 10 s, whatever the jitter (%d)', async (random) => {
  const weather: Weather[] = [
    { fromMs: 0, is: 'frozen' },
    { fromMs: 30_000, is: 'well' },
  ];
  made = makeProbe({ weather, random });

  await probe(made.deps);

  const [[away], [back, backAtMs]] = (await changes()) as [[boolean, number], [boolean, number]];
  expect([away, back]).toEqual([false, true]);
  expect(backAtMs).toBeLessThanOrEqual(40_000);
});

test('a single failure is disproved within a second, and forgotten', async () => {
  made = makeProbe({
    weather: [
      { fromMs: 0, is: 'well' },
      { fromMs: 8000, is: 'refusing' },
      { fromMs: 8500, is: 'well' },
    ],
  });

  await probe(made.deps);

  expect(made.calls.slice(2)).toEqual(['8000 look eu-1 agents', '8500 look eu-1 agents']);
  expect(await changes()).toEqual([[true, 0]]);
  expect(await made.states.get('eu-1')).not.toHaveProperty('failures');
});

test('a cluster that is away delays no other cluster, and shows its next attempt', async () => {
  const { openHealth } = made.deps;
  made.deps.profiles = [{ clusters: ['eu-1', 'us-1'], namespace: 'agents' }];
  made.deps.openHealth = async (cluster) => {
    if (cluster === 'eu-1') throw new TransientError('ClusterUnreachable', 'refused', { cluster });
    return openHealth(cluster);
  };

  const { clusters } = await probe(made.deps);

  expect(clusters).toMatchObject([
    { cluster: 'eu-1', connected: false },
    { cluster: 'us-1', connected: true, looks: 2 },
  ]);
  const state = await made.states.get('eu-1');
  expect(state?.nextAttemptAtEpochMs).toBeGreaterThan(state?.failures?.lastEpochMs ?? Number.POSITIVE_INFINITY);
});

test('every namespace of a cluster is proved, each once', () => {
  const profiles = [
    { clusters: ['eu-1', 'us-1'], namespace: 'a' },
    { clusters: ['eu-1'], namespace: 'b' },
    { clusters: ['us-1'], namespace: 'a' },
  ];

  expect(placesOf(profiles)).toEqual([
    { cluster: 'eu-1', namespaces: ['a', 'b'] },
    { cluster: 'us-1', namespaces: ['a'] },
  ]);
});

test('pauses double up to 5 s, with full jitter above a fifth', () => {
  expect([0, 1, 2, 3, 100].map((looks) => pauseAfter(looks, 1))).toEqual([1000, 2000, 4000, 5000, longestPauseMs]);
  expect([0, 1, 2, 3, 100].map((looks) => pauseAfter(looks, 0))).toEqual([200, 400, 800, 1000, 1000]);
});
