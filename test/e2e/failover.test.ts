import type { Config } from '../../core/config/config.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import type { FaultEffect } from '../../sandbox/faults.ts';
import { credentialInPod } from '../support/agent-credentials.ts';
import { type ClusterHistory, keepHistory } from '../support/cluster-history.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { askForSweep } from './ask-for-sweep.ts';
import { comes, entered } from './moments.ts';
import { untilConnected } from './until-connected.ts';
import { untilRelaunched } from './until-relaunched.ts';

let davit: TestRuntime;
let second: ClusterHistory;
beforeAll(async () => {
  davit = await startTestRuntime({
    probeIntervalMs: 5000,
    changeConfig: withTwoClusters,
    otherClusters: { second: {} },
  });
  const { second: cluster } = davit.otherClusters;
  if (cluster === undefined) throw new Error('there is no second cluster');
  second = keepHistory(cluster.sandbox);
});
afterEach(() => davit.cluster.sandbox.faults.clear());
afterAll(async () => {
  second[Symbol.dispose]();
  await davit[Symbol.asyncDispose]();
});

/** Profiles that prefer the first cluster and may use the second; the first agent of `moved` never connects. */
function withTwoClusters(config: Config): Config {
  const { profiles, clusters, ...others } = withProfiles(config, { moved: { agent: untilRelaunched }, refused: {} });
  const names = [...clusters.map(({ name }) => name), 'second'];
  return {
    ...others,
    clusters: [...clusters, { name: 'second', kubeconfigSecret: 'davit-kubeconfig-second' }],
    profiles: profiles.map((profile) => ({
      ...profile,
      clusters: names,
      strategy: 'ordered' as const,
      failoverSeconds: 3,
      spillSeconds: 3,
    })),
  };
}

/** Asks for a token with the credential in a Pod of the first cluster. */
async function connectAs(agentName: string): Promise<number> {
  const answer = await fetch(`${davit.runtime.url}/agents/${agentName}/connect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentialInPod(davit, agentName)}` },
  });
  return answer.status;
}

const outages: { how: string; effect: FaultEffect }[] = [
  { how: 'frozen', effect: { kind: 'hang' } },
  { how: 'cut off', effect: { kind: 'drop', when: 'before' } },
];

describe.each(outages)('a launch whose cluster is $how before its agent connects', ({ how, effect }) => {
  test('comes up in the other cluster with exactly one agent, and leaves nothing once the first is back', async () => {
    await untilConnected(davit, true, 'sandbox');
    await untilConnected(davit, true, 'second');
    const awaited = comes(davit, entered('PublishToken'));
    const launchId = await davit.launches.request({ profile: 'moved', jobId: how });
    await awaited;
    const [first, moved] = [agentNameOf(launchId), agentNameOf(launchId, 2)];

    davit.cluster.sandbox.faults.add({ match: {}, effect });
    const connected = await davit.launches.until(launchId, 'connected');
    const { status } = await untilExecutionEnds(davit.runtime, launchId);
    const late = await connectAs(first);
    const leftMeanwhile = davit.history.left(launchId);
    await davit.launches.end(launchId);
    await second.untilNothingIsLeft();
    const ending = await davit.launches.show(launchId);
    davit.cluster.sandbox.faults.clear();
    await untilConnected(davit, true, 'sandbox');
    await askForSweep(davit, { graceSeconds: 0 });
    await davit.launches.until(launchId, 'terminated');

    expect(connected).toMatchObject({
      agentName: moved,
      plan: { cluster: 'second', generation: 2 },
      generations: [
        {
          agentName: first,
          cluster: 'sandbox',
          code: 'ClusterAway',
          message: expect.stringMatching(/^ClusterAway: cluster sandbox has been away for \d+ s: /),
        },
      ],
    });
    expect(status).toBe('SUCCEEDED');
    expect(late).toBe(410);
    expect(leftMeanwhile).toEqual([`Service ${first}`, `Pod ${first}`]);
    expect(second.created('pods').filter((name) => name.includes(launchId))).toEqual([moved]);
    expect(ending.status).toBe('cleaning');
    expect(davit.history.left()).toEqual([]);
  });
});

test.each([
  {
    what: 'refuses it',
    answer: { code: 403, reason: 'Forbidden', message: 'services is forbidden: no rule allows it' },
    code: 'ClusterRefused',
    words: 'cluster sandbox refuses the launch: ClusterForbidden: ',
  },
  {
    what: 'has no room for it',
    answer: { code: 403, reason: 'Forbidden', message: 'services "x" is forbidden: exceeded quota: agents' },
    code: 'ClusterFull',
    words: 'cluster sandbox has had no room for ',
  },
])('a launch moves when its cluster $what', async ({ what, answer, code, words }) => {
  await untilConnected(davit, true, 'sandbox');
  davit.cluster.sandbox.faults.add({
    match: { verb: 'create', resource: 'services' },
    effect: { kind: 'answer', answer },
  });

  const launchId = await davit.launches.request({ profile: 'refused', jobId: what });
  const connected = await davit.launches.until(launchId, 'connected');
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
  await davit.runtime.eventsPublished();

  expect(connected).toMatchObject({
    plan: { cluster: 'second' },
    generations: [{ cluster: 'sandbox', code, message: expect.stringContaining(words) }],
  });
  const told = davit.runtime.eventBus.events.filter((event) => event['detail-type'] === 'LaunchRelaunched');
  expect(told.map(({ detail }) => detail)).toContainEqual(
    expect.objectContaining({ launchId, cluster: 'second', endedCluster: 'sandbox', code }),
  );
  expect(second.left(launchId)).toEqual([]);
});
