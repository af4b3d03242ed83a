import { setTimeout as sleep } from 'node:timers/promises';
import { agentNameOf, apiLaunchId } from '../../../../core/launch/names.ts';
import { when } from '../../../support/execution-events.ts';
import { recordFailedAttempts } from '../../../support/expect-one-agent.ts';
import { change, removeAtOnce } from '../outcomes/change-object.ts';
import { shell, untilRelaunched } from '../outcomes/containers.ts';
import { expectAgent, expectFailure, untilSignal } from '../outcomes/expect-outcome.ts';
import { evict, untilRunning } from '../outcomes/take-pods.ts';
import { startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const cluster = await openTestCluster();
const apiServer = 'kube-apiserver';
/** Longer than a call's time-out, so that callers give up. */
const frozenMs = 6000;
const backMs = 60_000;

/** The ways in which the API server goes away and comes back. */
const outages = {
  frozen: {
    begin: () => cluster.signal(apiServer, 'SIGSTOP'),
    end: async () => {
      await sleep(frozenMs);
      await cluster.signal(apiServer, 'SIGCONT');
    },
  },
  // Last: each time that watchers find it gone, they retry more slowly.
  'killed and started again': {
    begin: () => cluster.signal(apiServer, 'SIGKILL'),
    end: () => cluster.start(apiServer),
  },
};

/** Ends only on SIGKILL. */
const lingering = "trap '' TERM; while :; do sleep 1; done";
const spec = { terminationGracePeriodSeconds: 120 };
const profiles = {
  prompt: {},
  gated: { spec: { schedulingGates: [{ name: 'davit.dev/queue' }] } },
  relaunched: { agent: untilRelaunched() },
  'relaunched-late': { agent: untilRelaunched(lingering), spec },
  'never-connects': { agent: shell(lingering), spec, deadlines: { connectSeconds: 1 } },
};

const davit = await startDavit(cluster, { profiles });
const failedAttempts = recordFailedAttempts(davit.runtime);
afterAll(() => davit[Symbol.asyncDispose]());

const pathOf = (launchId: string): string => `/api/v1/namespaces/davit-agents/pods/${agentNameOf(launchId)}`;

/** Resolves when a launch enters a state from now on. */
function enters(state: string, launchId: string): Promise<void> {
  return new Promise((resolve) => when(davit.runtime, launchId, `enters ${state}`, resolve));
}

async function untilReady(): Promise<void> {
  await until('the API server is ready', backMs, async () => (await davit.api.send('/readyz')).status === 200);
}

/** The codes that a launch may report when an API server is away, starts, or is late. */
const outageCodes = ['ClusterUnreachable', 'ClusterFault', 'ClusterThrottled', 'WriteConflict', 'ConnectPending'];

function expectNothingElse(launchId: string, ...codes: string[]): void {
  const known = [...outageCodes, 'NodePortPending', 'PlacementPending', 'RemovalPending', ...codes];
  expect(known).toEqual(expect.arrayContaining([...new Set(failedAttempts.get(launchId))]));
}

describe.each(Object.entries(outages))('when the API server is %s', (outage, { begin, end }) => {
  const request = (profile: keyof typeof profiles, jobId: string = profile): Promise<string> =>
    davit.launches.request({ profile, jobId: `${outage}: ${jobId}` });

  /**
   * Requests a launch, and takes the API server away as the launch enters a state.
   *
   * @returns the launch's id, after that
   */
  async function goneAsItEnters(state: string): Promise<string> {
    const jobId = `enters ${state}`;
    const isGone = enters(state, apiLaunchId(`${outage}: ${jobId}`)).then(begin);
    const launchId = await request('prompt', jobId);
    await isGone;
    return launchId;
  }

  async function comeBack(): Promise<void> {
    await end();
    await untilReady();
  }

  test('a placed launch, and launches that enter PollNodePort and CreateService, still work', async () => {
    const placed = await request('gated');
    await untilSignal(davit, placed, 'SchedulingGated');
    const entering = await goneAsItEnters('PollNodePort');
    const isCreating = enters('CreateService', apiLaunchId(`${outage}: late`));
    const late = await request('prompt', 'late');
    await isCreating;
    await comeBack();
    await change(davit.api, pathOf(placed), { spec: { schedulingGates: null } });

    await Promise.all([placed, entering, late].map((launchId) => expectAgent(davit, launchId)));

    for (const launchId of [placed, entering, late]) expectNothingElse(launchId);
  });

  test('an awaited launch, and a launch that enters CreatePod, still work', async () => {
    const awaited = await request('relaunched');
    await untilRunning(davit.api, agentNameOf(awaited));
    const entering = await goneAsItEnters('CreatePod');
    await comeBack();
    await evict(davit.api, agentNameOf(awaited));

    await Promise.all([expectAgent(davit, entering), expectAgent(davit, awaited, 2)]);

    expectNothingElse(entering);
    // Between two looks an evicted Pod may go entirely.
    expectNothingElse(awaited, 'PodEvicted', 'DeletedExternally');
  });

  test('launches in Relaunch and CleanUp, and a launch that enters PublishToken, still work or leave nothing', async () => {
    const isCleaning = enters('CleanUp', apiLaunchId(`${outage}: never-connects`));
    const cleaning = await request('never-connects');
    const isRelaunching = enters('Relaunch', apiLaunchId(`${outage}: relaunched-late`));
    const relaunching = await request('relaunched-late');
    await untilRunning(davit.api, agentNameOf(relaunching));
    await evict(davit.api, agentNameOf(relaunching));
    await Promise.all([isCleaning, isRelaunching]);
    const entering = await goneAsItEnters('PublishToken');
    await comeBack();
    for (const launchId of [cleaning, relaunching]) await removeAtOnce(davit.api, pathOf(launchId));

    await Promise.all([
      expectAgent(davit, entering),
      expectAgent(davit, relaunching, 2),
      expectFailure(davit, cleaning, { code: 'ConnectDeadlineExceeded', detail: /the agent has not connected/ }),
    ]);

    expectNothingElse(entering);
    expectNothingElse(relaunching, 'PodEvicted');
    expectNothingElse(cleaning, 'ConnectDeadlineExceeded');
  });
});
