import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { agentNameOf, apiLaunchId } from '../../../functions/domain/names.ts';
import { when } from '../../support/execution-events.ts';
import { type FailedAttempts, recordFailedAttempts } from '../../support/expect-one-agent.ts';
import { idle, untilRelaunched } from '../outcomes/containers.ts';
import { expectAgent, expectFailure, profilesOf, requestLaunch } from '../outcomes/expect-outcome.ts';
import { evict, untilRunning } from '../outcomes/take-pods.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const cluster = await openTestCluster();
const apiServer = 'kube-apiserver';
/** Longer than a call may take, so that whoever is asking gives up. */
const frozenMs = 6000;
const backMs = 60_000;

/** What happens to the API server, and how it comes back. */
const outages = {
  frozen: async () => {
    await cluster.signal(apiServer, 'SIGSTOP');
    await sleep(frozenMs);
    await cluster.signal(apiServer, 'SIGCONT');
  },
  // Last: those who watch it come back more and more slowly, each time that they find it gone.
  'killed and started again': async () => {
    await cluster.signal(apiServer, 'SIGKILL');
    await cluster.start(apiServer);
  },
};

const states = ['CreateService', 'PollNodePort', 'CreatePod', 'PollHostIP', 'PublishToken', 'AwaitAgent'];
const works = Object.entries(outages).flatMap(([what, happen]) =>
  states.map((state) => ({ what: `${what} as it enters ${state}`, state, happen, changes: {} })),
);
const relaunches = Object.entries(outages).map(([what, happen]) => ({
  what: `${what} as it enters Relaunch`,
  happen,
  changes: { agent: untilRelaunched() },
}));
const failures = Object.entries(outages).map(([what, happen]) => ({
  what: `${what} as it enters CleanUp`,
  happen,
  changes: { agent: idle, deadlines: { connectSeconds: 1 } },
}));

let davit: DavitOnCluster;
let failedAttempts: FailedAttempts;
beforeAll(async () => {
  davit = await startDavit(cluster, { profiles: profilesOf(works, relaunches, failures) });
  failedAttempts = recordFailedAttempts(davit.runtime);
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

/** Has something happen to the API server when a launch enters a state. @returns a promise that is kept when it is back */
function onEntering(state: string, launchId: string, happen: () => Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  when(davit.runtime, launchId, `enters ${state}`, () => void happen().then(untilReady).then(resolve, reject));
  return promise;
}

async function untilReady(): Promise<void> {
  await until('the API server is ready', backMs, async () => (await davit.api.send('/readyz')).status === 200);
}

/** What a launch may be told of an API server that is away, starts, or is late. */
const outageCodes = ['ClusterUnreachable', 'ClusterFault', 'ClusterThrottled', 'WriteConflict', 'ConnectPending'];

function expectNothingElse(launchId: string, ...codes: string[]): void {
  const known = [...outageCodes, 'NodePortPending', 'PlacementPending', 'RemovalPending', ...codes];
  expect(known).toEqual(expect.arrayContaining([...new Set(failedAttempts.get(launchId))]));
}

describe('a launch works all the same, by one Service and one Pod, when the API server is', () => {
  test.each(works)('$what', async ({ state, happen, ...row }) => {
    const launchId = apiLaunchId(row.what);
    const isBack = onEntering(state, launchId, happen);
    await requestLaunch(davit, row);
    await isBack;

    await expectAgent(davit, launchId);

    expectNothingElse(launchId);
  });

  test.each(relaunches)('$what', async ({ happen, ...row }) => {
    const launchId = await requestLaunch(davit, row);
    const isBack = onEntering('Relaunch', launchId, happen);
    await untilRunning(davit.api, agentNameOf(launchId));
    await evict(davit.api, agentNameOf(launchId));
    await isBack;

    await expectAgent(davit, launchId, 2);

    expectNothingElse(launchId, 'PodEvicted');
  });
});

describe('a launch that fails leaves nothing all the same, when the API server is', () => {
  test.each(failures)('$what', async ({ happen, ...row }) => {
    const launchId = apiLaunchId(row.what);
    const isBack = onEntering('CleanUp', launchId, happen);
    await requestLaunch(davit, row);
    await isBack;

    await expectFailure(davit, launchId, { code: 'ConnectDeadlineExceeded', says: /the agent has not connected/ });

    expectNothingElse(launchId, 'ConnectDeadlineExceeded');
  });
});
