import { readConditions } from '../../../../sandbox/node/pod-status.ts';
import { startNode } from '../../../../sandbox/node/start-node.ts';
import { script, TestCluster } from './sandbox-node.ts';

const sleeper = [script('main', 'exec sleep 60')];

const scheduledCondition = (cluster: TestCluster, name: string) =>
  readConditions(cluster.pod(name).status ?? {}).find(({ type }) => type === 'PodScheduled');

test('a Pod that fits no node reports so once, and is placed when a fitting node appears', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', { nodeSelector: { size: 'big' }, containers: sleeper });
  const { conditions, phase } = await cluster.untilStatus('agent', (status) => status.conditions.length > 0);
  const message =
    "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. " +
    'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
  expect({ phase, conditions }).toMatchObject({
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  });

  await using big = await startNode(cluster.store, {
    name: 'big',
    hostIP: '127.0.0.2',
    labels: { size: 'big' },
    stateDirectory: cluster.directory,
    images: { 'sh:1': { command: ['sh', '-c'] } },
    hasScheduler: false,
  });
  const { hostIP } = await cluster.untilPhase('agent', 'Running');

  expect(cluster.pod('agent').spec?.['nodeName']).toBe(big.name);
  expect(hostIP).toBe('127.0.0.2');
  expect(scheduledCondition(cluster, 'agent')).toMatchObject({ status: 'True' });
  expect(cluster.events('agent')).toContain(`FailedScheduling: ${message}`);
});

test('a Pod with a scheduling gate reports so, and is not placed', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', { schedulingGates: [{ name: 'queue' }], containers: sleeper });

  const { conditions } = await cluster.untilStatus('agent', (status) => status.conditions.length > 0);

  expect(conditions).toMatchObject([{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }]);
  expect(cluster.pod('agent').spec).not.toHaveProperty('nodeName');
});

test("a Pod that needs another Pod's resources is placed when that one is gone", async () => {
  await using cluster = await TestCluster.start({ capacity: { cpu: '1', memory: '1Gi', pods: '10' } });
  const containers = [script('main', 'exec sleep 60', { resources: { requests: { cpu: '1' } } })];
  cluster.createPod('first', { containers });
  await cluster.untilPhase('first', 'Running');
  cluster.createPod('second', { containers });
  await cluster.untilStatus('second', ({ conditions }) => conditions.length > 0);
  expect(scheduledCondition(cluster, 'second')).toMatchObject({
    message: expect.stringContaining('0/1 nodes are available: 1 Insufficient cpu.'),
  });

  cluster.store.delete('pods', 'default', 'first');

  await cluster.untilPhase('second', 'Running');
});
