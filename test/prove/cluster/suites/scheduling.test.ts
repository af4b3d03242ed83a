import { agentNameOf } from '../../../../core/launch/names.ts';
import { addKwokNode, create } from '../node-objects.ts';
import { change } from '../outcomes/change-object.ts';
import { idle } from '../outcomes/containers.ts';
import {
  describeFailures,
  expectAgent,
  expectFailure,
  type Failure,
  profilesOf,
  type Row,
  requestLaunch,
  untilSignal,
} from '../outcomes/expect-outcome.ts';
import { startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

const failures: (Row & Failure)[] = [
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
const gated = { what: 'at a gate', changes: { spec: { schedulingGates: [{ name: 'davit.dev/queue' }] } } };
const placed = {
  what: 'with a new node',
  changes: {
    agent: idle,
    spec: { tolerations: [{ key: 'kwok.x-k8s.io/node', operator: 'Exists' }], nodeSelector: { pool: 'added' } },
    deadlines: { connectSeconds: 3 },
  },
};

const davit = await startDavit(await openTestCluster(), { profiles: profilesOf(failures, [gated, placed]) });
beforeAll(async () => {
  await create(davit.api, '/api/v1/nodes', { metadata: { name: 'virtual', labels: { type: 'virtual-kubelet' } } });
});
afterAll(async () => {
  for (const name of ['virtual', 'kwok-added']) await davit.api.send(`/api/v1/nodes/${name}`, { method: 'DELETE' });
  await davit[Symbol.asyncDispose]();
});

describeFailures(davit, failures);

test.concurrent('a launch into a real cluster waits at a gate, says so, and works when the gate is removed', async () => {
  const launchId = await requestLaunch(davit, gated);
  const pod = `/api/v1/namespaces/davit-agents/pods/${agentNameOf(launchId)}`;

  const detail = await untilSignal(davit, launchId, 'SchedulingGated');
  await change(davit.api, pod, { spec: { schedulingGates: null } });

  expect(detail).toMatch(/held by davit\.dev\/queue; SchedulingGated/);
  await expectAgent(davit, launchId);
});

test.concurrent('a launch into a real cluster waits, and is placed at the address of the node that is added', async () => {
  const launchId = await requestLaunch(davit, placed);
  const detail = await untilSignal(davit, launchId, 'Unschedulable');
  await addKwokNode(davit.api, { name: 'kwok-added', ip: '10.252.9.9', labels: { pool: 'added' } });

  // kwok runs nothing, so that no agent connects from there.
  await expectFailure(davit, launchId, {
    code: 'ConnectDeadlineExceeded',
    detail: /the agent has not connected; its token says 10\.252\.9\.9:3\d{4}; phase Running/,
  });
  expect(detail).toMatch(/nodes are available: .*didn't match Pod's node affinity\/selector/);
});
