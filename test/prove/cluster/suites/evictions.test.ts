import { errorCodes, type RelaunchCode } from '../../../../core/errors/error-codes.ts';
import { agentNameOf } from '../../../../core/launch/names.ts';
import { addKwokNode, type KwokNode, lostNodeTolerations } from '../node-objects.ts';
import { remove } from '../outcomes/change-object.ts';
import { untilRelaunched } from '../outcomes/containers.ts';
import { expectAgent, profilesOf, type Row, requestLaunch } from '../outcomes/expect-outcome.ts';
import { addTaint, makeRoomForOne, nodeOf, preempt, removeTaint, untilRunning } from '../outcomes/take-pods.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

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
    changes: { agent: scratch, spec: { ...steadfast, volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] } },
    take: async () => {},
    code: 'PodEvicted',
    detail: /Evicted: Usage of EmptyDir volume "scratch" exceeds the limit "1Mi"/,
  },
];

const bereft = {
  what: 'with its node',
  changes: {
    agent: untilRelaunched(),
    spec: {
      tolerations: lostNodeTolerations(1),
    },
  },
};

/** A launch whose Pod loses its node: somebody deletes the Node object, and its machine falls silent. */
interface Orphaning extends Row {
  /** The node exists only for this launch. */
  node: KwokNode;
}

const timeoutMs = 60_000;

/** Prefers a Pod's own node while it exists, and otherwise a node with a kubelet. */
const ratherOn = (name: string) => {
  const own = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] };
  const real = { matchExpressions: [{ key: 'type', operator: 'NotIn', values: ['kwok'] }] };
  return {
    tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [own, real] },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: own }],
      },
    },
  };
};

/** Launches that come up again, by their progress when the cluster removes their Pod. */
const orphanings: readonly Orphaning[] = [
  {
    what: 'before its address is known',
    node: { name: 'deleted-1', ip: '10.252.8.1', isPlayed: false },
    changes: { agent: untilRelaunched(), spec: ratherOn('deleted-1') },
  },
  {
    what: 'while davit awaits the agent',
    node: { name: 'deleted-2', ip: '10.252.8.2' },
    changes: { agent: untilRelaunched(), spec: ratherOn('deleted-2') },
  },
];

const davit = await startDavit(cluster, { profiles: profilesOf(takings, [bereft], orphanings) });
let orphans: ReadonlyMap<string, string>;
beforeAll(async () => {
  await makeRoomForOne(davit.api, 'davit.dev/slot');
  // Requested first and checked last: a control plane waits 40 s to 80 s before it removes Pods without a node.
  orphans = new Map(await Promise.all(orphanings.map(async (row) => [row.what, await orphan(row)] as const)));
});
afterAll(async () => {
  await removeTaint(davit.api, 'davit.dev/drained');
  await davit[Symbol.asyncDispose]();
});

/** Requests a launch and deletes its Pod's Node, as an autoscaler does. @returns the launch's id */
async function orphan(row: Orphaning): Promise<string> {
  await addKwokNode(davit.api, row.node);
  const launchId = await requestLaunch(davit, row);
  const agentName = agentNameOf(launchId);
  const { name } = row.node;
  await until(`${agentName} is bound to ${name}`, timeoutMs, async () => (await nodeOf(davit.api, agentName)) === name);
  await remove(davit.api, `/api/v1/nodes/${name}`);
  return launchId;
}

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
  test.concurrent.each(orphanings)('$what comes up again: NodeLost', async ({ what, node }) => {
    const launchId = orphans.get(what) ?? '';

    const launch = await expectAgent(davit, launchId, 2);

    const words = 'DisruptionTarget DeletionByPodGC: PodGC: node no longer exists';
    const message = expect.stringMatching(new RegExp(`${words} .*node ${node.name}`));
    expect(launch['generations']).toEqual([
      expect.objectContaining({ agentName: agentNameOf(launchId), code: 'NodeLost', message }),
    ]);
  });
});
