import { addKwokNode, create } from '../node-objects.ts';
import { change } from '../outcomes/change-object.ts';
import { idle } from '../outcomes/containers.ts';
import { describeFailures, describeRecoveries } from '../outcomes/describe-outcomes.ts';
import { expectFailure, type Failure, profilesOf, type Row, requestLaunch } from '../outcomes/expect-outcome.ts';
import { type Recovery, untilSignal } from '../outcomes/expect-recovery.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

const gated = { schedulingGates: [{ name: 'davit.dev/queue' }] };
const onNodes = (labels: Record<string, string>) => ({ nodeSelector: labels });
const onPlayedNode = { tolerations: [{ key: 'kwok.x-k8s.io/node', operator: 'Exists' }] };

const failures: (Row & Failure)[] = [
  {
    what: 'when its Pod fits no node',
    changes: { agent: idle, spec: onNodes({ disk: 'none' }), deadlines: { placementSeconds: 3 } },
    code: 'PlacementDeadlineExceeded',
    detail:
      /PollHostIP gave up after \d+ s of 3 s; at last: Unschedulable: 0\/\d+ nodes are available: .*didn't match Pod's node affinity\/selector/,
  },
  {
    what: 'when its Pod is larger than any node',
    changes: {
      agent: { ...idle, resources: { requests: { memory: '100Ti' } } },
      deadlines: { placementSeconds: 3 },
    },
    code: 'PlacementDeadlineExceeded',
    detail: /Unschedulable: 0\/\d+ nodes are available: .*Insufficient memory/,
  },
  {
    what: 'when its Pod waits at a gate',
    changes: { agent: idle, spec: gated, deadlines: { placementSeconds: 3 } },
    code: 'PlacementDeadlineExceeded',
    detail:
      /at last: held by davit\.dev\/queue; SchedulingGated: Scheduling is blocked due to non-empty scheduling gates/,
  },
  {
    what: 'when its node reports nothing',
    changes: {
      agent: idle,
      spec: { nodeName: 'virtual', terminationGracePeriodSeconds: 0 },
      deadlines: { placementSeconds: 3 },
    },
    code: 'PlacementDeadlineExceeded',
    detail: /node virtual reports no hostIP, which a NodePort needs; phase Pending/,
  },
  {
    what: 'when its node has no address of the required kind',
    changes: { agent: idle, profile: { hostAddress: 'nodeExternalIP' } },
    code: 'HostAddressMissing',
    detail: /node node-\d has no nodeExternalIP, which the profile wants; it has InternalIP 10\.250\.\d+\.\d+/,
  },
];

const recoveries: Recovery[] = [
  {
    what: 'when a node gets what its Pod selects',
    changes: { spec: onNodes({ disk: 'fast' }) },
    signal: 'Unschedulable',
    detail: /nodes are available: .*didn't match Pod's node affinity\/selector/,
    mend: ({ api }) => change(api, '/api/v1/nodes/node-1', { metadata: { labels: { disk: 'fast' } } }),
  },
  {
    what: 'when its node is uncordoned',
    changes: { spec: onNodes({ 'kubernetes.io/hostname': 'node-2' }) },
    signal: 'Unschedulable',
    detail: /nodes are available: .*1 node\(s\) were unschedulable/,
    mend: ({ api }) => change(api, '/api/v1/nodes/node-2', { spec: { unschedulable: null } }),
  },
  {
    what: 'when its gate is removed',
    changes: { spec: gated },
    signal: 'SchedulingGated',
    detail: /held by davit\.dev\/queue; SchedulingGated/,
    mend: ({ api }, agentName) =>
      change(api, `/api/v1/namespaces/davit-agents/pods/${agentName}`, { spec: { schedulingGates: null } }),
  },
];

const placed = {
  what: 'with a new node',
  changes: {
    agent: idle,
    spec: { ...onPlayedNode, ...onNodes({ pool: 'added' }) },
    deadlines: { connectSeconds: 3 },
  },
};

let davit: DavitOnCluster;
beforeAll(async () => {
  davit = await startDavit(await openTestCluster(), { profiles: profilesOf(failures, recoveries, [placed]) });
  await create(davit.api, '/api/v1/nodes', { metadata: { name: 'virtual', labels: { type: 'virtual-kubelet' } } });
  await change(davit.api, '/api/v1/nodes/node-2', { spec: { unschedulable: true } });
});
afterAll(async () => {
  await change(davit.api, '/api/v1/nodes/node-2', { spec: { unschedulable: null } });
  for (const name of ['virtual', 'kwok-added']) await davit.api.send(`/api/v1/nodes/${name}`, { method: 'DELETE' });
  await davit[Symbol.asyncDispose]();
});

describeFailures(() => davit, failures);

describeRecoveries(() => davit, recoveries);

test.concurrent('a launch into a real cluster waits, and is placed at the address of the node that is added', async () => {
  const launchId = await requestLaunch(davit, placed);
  const detail = await untilSignal(davit, launchId, 'Unschedulable');
  await addKwokNode(davit.api, { name: 'kwok-added', ip: '10.252.9.9', labels: { pool: 'added' } });

  // kwok runs nothing, so that no agent connects from there.
  await expectFailure(davit, launchId, {
    code: 'ConnectDeadlineExceeded',
    detail: /the agent has not connected; its token says 10\.252\.9\.9:3\d{4}; phase Running/,
  });
  expect(detail).toMatch(/nodes are available/);
});
