import { errorCodes, type RelaunchCode } from '../../../../core/errors/error-codes.ts';
import { agentNameOf } from '../../../../core/launch/names.ts';
import { idle, untilRelaunched } from '../outcomes/containers.ts';
import { expectAgent, expectFailure, profilesOf, type Row, requestLaunch } from '../outcomes/expect-outcome.ts';
import { lastOrphaning, orphan, orphanings } from '../outcomes/orphan-pods.ts';
import { addTaint, evict, makeRoomForOne, nodeOf, preempt, removeTaint, untilRunning } from '../outcomes/take-pods.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

/** The ways in which infrastructure removes a Pod before its agent connects, and what davit reports. */
interface Taking extends Row {
  take: (davit: DavitOnCluster, pod: string) => Promise<unknown>;
  code: RelaunchCode;
  detail: RegExp;
}

const cluster = await openTestCluster();

/** Protects Pods from the taint that another test puts on their node. */
const steadfast = { tolerations: [{ key: 'davit.dev/drained', operator: 'Exists' }] };
const scarce = { requests: { cpu: '10m', 'davit.dev/slot': '1' }, limits: { 'davit.dev/slot': '1' } };
const scratch = {
  volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
  ...untilRelaunched('dd if=/dev/zero of=/scratch/full bs=1M count=8'),
};

const takings: Taking[] = [
  {
    what: 'by a drain',
    changes: { agent: untilRelaunched(), spec: steadfast },
    take: ({ api }, pod) => evict(api, pod),
    code: 'PodEvicted',
    detail: /DisruptionTarget EvictionByEvictionAPI: Eviction API: evicting/,
  },
  {
    what: 'by a taint of its node',
    changes: { agent: untilRelaunched() },
    take: async ({ api }, pod) => addTaint(api, await nodeOf(api, pod), 'davit.dev/drained'),
    code: 'NodeLost',
    detail: /DisruptionTarget DeletionByTaintManager: Taint manager: deleting due to NoExecute taint/,
  },
  {
    what: 'by a Pod of higher priority',
    changes: { agent: { ...untilRelaunched(), resources: scarce }, spec: steadfast },
    take: ({ api }) => preempt(api, scarce),
    code: 'PodPreempted',
    detail:
      /DisruptionTarget PreemptionByScheduler: default-scheduler: preempting to accommodate a higher priority pod/,
  },
  {
    what: 'by its kubelet, as it fills its disk',
    changes: {
      agent: scratch,
      spec: { ...steadfast, volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] },
    },
    take: async () => {},
    code: 'PodEvicted',
    detail: /Evicted: Usage of EmptyDir volume "scratch" exceeds the limit "1Mi"/,
  },
];

const evictedTwice = {
  what: 'more often than maxRelaunches allows',
  changes: { agent: idle, spec: steadfast, profile: { maxRelaunches: 1 } },
};
const bereft = {
  what: 'with its node',
  changes: {
    agent: untilRelaunched(),
    spec: {
      tolerations: ['not-ready', 'unreachable'].map((state) => ({
        key: `node.kubernetes.io/${state}`,
        effect: 'NoExecute',
        operator: 'Exists',
        tolerationSeconds: 1,
      })),
    },
  },
};

let davit: DavitOnCluster;
let orphans: ReadonlyMap<string, string>;
beforeAll(async () => {
  const rows = [...orphanings, lastOrphaning];
  davit = await startDavit(cluster, { profiles: profilesOf(takings, [evictedTwice, bereft], rows) });
  await makeRoomForOne(davit.api, 'davit.dev/slot');
  // Requested first and checked last: a control plane waits 40 s to 80 s before it removes Pods without a node.
  orphans = new Map(await Promise.all(rows.map(async (row) => [row.what, await orphan(davit, row)] as const)));
});
afterAll(async () => {
  await removeTaint(davit.api, 'davit.dev/drained');
  await davit[Symbol.asyncDispose]();
});

describe('a launch whose Pod a real cluster removes before its agent connects comes up again', () => {
  test.concurrent.each(takings)('$what: $code', async ({ code, detail, take, ...row }) => {
    const launchId = await requestLaunch(davit, row);
    const first = agentNameOf(launchId);
    await untilRunning(davit.api, first);
    await take(davit, first);

    const launch = await expectAgent(davit, launchId, 2);

    const { means, advice } = errorCodes[code];
    const message = expect.stringMatching(detail);
    expect(launch['generations']).toEqual([
      expect.objectContaining({ agentName: first, code, means, advice, message }),
    ]);
  });

  test.concurrent(`and fails when it is taken ${evictedTwice.what}`, async () => {
    const launchId = await requestLaunch(davit, evictedTwice);
    for (const generation of [1, 2]) {
      await untilRunning(davit.api, agentNameOf(launchId, generation));
      await evict(davit.api, agentNameOf(launchId, generation));
    }

    await expectFailure(davit, launchId, {
      code: 'PodEvicted',
      detail: /not launched again: it was launched 2 times; at last: .*EvictionByEvictionAPI/,
    });
  });

  // After the others: they need a node with a kubelet.
  test(`${bereft.what}: NodeLost`, async () => {
    await removeTaint(davit.api, 'davit.dev/drained');
    const launchId = await requestLaunch(davit, bereft);
    const first = agentNameOf(launchId);
    await untilRunning(davit.api, first);
    const node = await nodeOf(davit.api, first);
    await cluster.signal(`${node}-kubelet`, 'SIGKILL');

    try {
      const { token } = await davit.ci.registrationOf(agentNameOf(launchId, 2), AbortSignal.timeout(90_000));
      expect(cluster.nodes.find(({ ip }) => ip === token.host)?.name).not.toBe(node);
    } finally {
      // Without its Node, the first Pod can go.
      await cluster.start(`${node}-kubelet`);
    }
    const launch = await expectAgent(davit, launchId, 2);

    const message = expect.stringContaining('DisruptionTarget DeletionByTaintManager');
    expect(launch['generations']).toEqual([expect.objectContaining({ agentName: first, code: 'NodeLost', message })]);
  });
});

describe("a launch whose Pod's node is deleted from a real cluster before its agent connects", () => {
  const detail = /DisruptionTarget DeletionByPodGC: PodGC: node no longer exists/;

  test.concurrent.each(orphanings)('$what comes up again: NodeLost', async ({ what, node }) => {
    const launchId = orphans.get(what) ?? '';

    const launch = await expectAgent(davit, launchId, 2);

    const message = expect.stringMatching(new RegExp(`${detail.source} .*node ${node.name}`));
    expect(launch['generations']).toEqual([
      expect.objectContaining({ agentName: agentNameOf(launchId), code: 'NodeLost', message }),
    ]);
  });

  test.concurrent(`${lastOrphaning.what} fails: NodeLost`, async () => {
    const launch = await expectFailure(davit, orphans.get(lastOrphaning.what) ?? '', { code: 'NodeLost', detail });

    expect(launch.ending?.message).toMatch(/not launched again: it was launched once; at last: /);
  });
});
