import { conditionsOf, script, TestCluster, waitingReason } from './sandbox-node.ts';

test('a missing image is pulled repeatedly, between ErrImagePull and ImagePullBackOff', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', { containers: [{ name: 'main', image: 'team/none:1' }] });

  await cluster.untilWaiting('agent', 'ImagePullBackOff');
  await cluster.untilWaiting('agent', 'ErrImagePull');
  const { phase, containerStatuses } = await cluster.untilWaiting('agent', 'ImagePullBackOff');

  const words = 'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/team/none:1": ';
  const message = expect.stringContaining(`Back-off pulling image "team/none:1": ErrImagePull: ${words}`);
  expect({ phase, containerStatuses }).toMatchObject({
    phase: 'Pending',
    containerStatuses: [{ state: { waiting: { message } }, restartCount: 0 }],
  });
  expect(cluster.events('agent')).toEqual([
    'BackOff: Back-off pulling image "team/none:1"',
    'Failed: Error: ErrImagePull',
    'Failed: Error: ImagePullBackOff',
    expect.stringContaining(`Failed: Failed to pull image "team/none:1": ${words}`),
    'Pulling: Pulling image "team/none:1"',
    'Scheduled: Successfully assigned default/agent to sandbox-node',
  ]);
});

test('a repeated occurrence is counted in its Event', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', { containers: [{ name: 'main', image: 'team/none:1' }] });
  await cluster.untilWaiting('agent', 'ImagePullBackOff');
  await cluster.untilWaiting('agent', 'ErrImagePull');

  const pulling = cluster.store.list('events').find(({ reason }) => reason === 'Pulling');

  expect(pulling).toMatchObject({
    count: 2,
    type: 'Normal',
    source: { component: 'kubelet', host: 'sandbox-node' },
    involvedObject: { kind: 'Pod', name: 'agent', namespace: 'default', fieldPath: 'spec.containers{main}' },
  });
});

test.each([
  ['InvalidImageName', { image: 'Not An Image' }],
  ['ErrImageNeverPull', { image: 'team/none:1', imagePullPolicy: 'Never' }],
  ['CreateContainerConfigError', { env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }] }],
  ['CreateContainerConfigError', { envFrom: [{ secretRef: { name: 'keys' } }] }],
])('a container waits with %s', async (reason, container) => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', { containers: [script('main', 'exit 0', container)] });

  const status = await cluster.untilWaiting('agent', reason);

  expect(status.phase).toBe('Pending');
});

test('a missing command is a StartError, and RunContainerError when the container restarts', async () => {
  await using cluster = await TestCluster.start();
  const containers = [{ name: 'main', image: 'sh:1', command: ['no-such-command'] }];
  cluster.createPod('once', { restartPolicy: 'Never', containers });
  cluster.createPod('again', { restartPolicy: 'Always', containers });

  const once = await cluster.untilPhase('once', 'Failed');
  const again = await cluster.untilWaiting('again', 'RunContainerError');

  const message = expect.stringContaining('exec: "no-such-command": executable file not found in $PATH');
  const terminated = { reason: 'StartError', exitCode: 128, message };
  expect(once.containerStatuses).toMatchObject([{ state: { terminated } }]);
  expect(again.containerStatuses).toMatchObject([{ state: { waiting: { message } }, lastState: { terminated } }]);
});

test("a sidecar that crashes repeatedly is reported as terminated when its Pod's own policy is Never", async () => {
  await using cluster = await TestCluster.start();
  const initContainers = [script('side', 'exit 5', { restartPolicy: 'Always' })];
  cluster.createPod('agent', { restartPolicy: 'Never', initContainers, containers: [script('main', 'exec sleep 60')] });

  const status = await cluster.untilStatus('agent', (seen) => JSON.stringify(seen).includes('"restartCount":2'));

  const lastState = { terminated: { exitCode: 5 } };
  expect(status).toMatchObject({ initContainerStatuses: [{ name: 'side', lastState }] });
  expect(JSON.stringify(cluster.history.get('agent'))).not.toContain('CrashLoopBackOff');
  expect(cluster.events('agent')).toContainEqual(
    expect.stringMatching(/^BackOff: Back-off restarting failed container side/),
  );
});

test('a container that exceeds its memory is OOMKilled', async () => {
  await using cluster = await TestCluster.start({ behaviour: { kill: { afterMs: 1, outOfMemory: true } } });
  cluster.createPod('agent', 'exec sleep 60');

  const status = await cluster.untilPhase('agent', 'Failed');

  expect(status.containerStatuses).toMatchObject([{ state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }]);
});

test('an evicted Pod fails with the reason and the condition of its eviction', async () => {
  await using cluster = await TestCluster.start();
  const pod = cluster.createPod('agent', 'exec sleep 60');
  await cluster.untilPhase('agent', 'Running');

  await cluster.node.evict(pod);

  expect(cluster.pod('agent').status).toMatchObject({
    phase: 'Failed',
    reason: 'Evicted',
    message: expect.stringContaining('The node was low on resource: memory'),
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
    ]),
  });
});

test('the Pods of a lost node are Unknown, continue to run, and are reported again when it is back', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', 'echo up; exec sleep 60');
  cluster.createPod('short', 'sleep 0.05');
  await cluster.firstLines('agent', 1);
  const ready = () => cluster.store.get('nodes', undefined, 'sandbox-node')?.status?.['conditions'];

  cluster.node.lose();
  const lost = await cluster.untilPhase('agent', 'Unknown');
  const nodeWhenLost = ready();
  cluster.store.delete('pods', 'default', 'agent', { gracePeriodSeconds: 1 });
  const gone = cluster.untilGone('agent');
  cluster.node.recover();

  expect(conditionsOf(lost)).toContain('Ready=False');
  expect(nodeWhenLost).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }),
  );
  expect(ready()).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  await cluster.untilPhase('short', 'Succeeded');
  await gone;
});

test('a node can report a made-up status of a Pod, and then the real one again', async () => {
  await using cluster = await TestCluster.start();
  const pod = cluster.createPod('agent', 'exec sleep 60');
  const { containerStatuses } = await cluster.untilPhase('agent', 'Running');

  cluster.node.overrideStatus(pod, { phase: 'Terminated', reason: 'NodeLost', containerStatuses: [] });
  const told = cluster.pod('agent').status;
  cluster.node.overrideStatus(pod, undefined);
  const after = cluster.pod('agent').status;

  expect(told).toMatchObject({ phase: 'Terminated', reason: 'NodeLost', containerStatuses: [] });
  expect(after).toMatchObject({ phase: 'Running', containerStatuses });
  expect(after).not.toHaveProperty('reason');
});

test('the status of an unscheduled Pod can be made up, too', async () => {
  await using cluster = await TestCluster.start();
  const pod = cluster.createPod('agent', { nodeSelector: { none: 'x' }, containers: [script('main', 'exit 0')] });

  cluster.node.overrideStatus(pod, { phase: 'Failed', reason: 'Shutdown' });

  expect(cluster.pod('agent').status).toMatchObject({ phase: 'Failed', reason: 'Shutdown' });
});

test('a Pod of a virtual node is Pending while its containers run, then Running', async () => {
  await using cluster = await TestCluster.start({ isVirtual: true, behaviour: { phaseLagMs: 20 } });
  cluster.createPod('agent', 'exec sleep 60');

  await cluster.untilPhase('agent', 'Running');

  const history = cluster.history.get('agent') ?? [];
  const late = history.filter((status) => status.phase === 'Pending' && conditionsOf(status).includes('Ready=True'));
  expect(late).toMatchObject([{ containerStatuses: [{ ready: true, state: { running: {} } }] }]);
  expect(new Set(history.map(({ containerStatuses: [main] }) => waitingReason(main)))).toEqual(
    new Set([undefined, 'Creating', 'Waiting']),
  );
  expect(cluster.store.get('nodes', undefined, 'sandbox-node')?.metadata.labels).toMatchObject({
    type: 'virtual-kubelet',
  });
});

test('new behaviour of a running node applies to later Pods, even to a single one', async () => {
  await using cluster = await TestCluster.start();
  cluster.node.behaviour.forPod = ({ metadata }) => (metadata.name === 'late' ? { hostIPDelayMs: 20 } : {});
  cluster.createPod('prompt', 'exec sleep 60');
  cluster.createPod('late', 'exec sleep 60');

  await cluster.untilStatus('late', (status) => status['hostIP'] === '127.0.0.1');
  await cluster.untilPhase('prompt', 'Running');

  const lacking = (name: string) =>
    cluster.history.get(name)?.filter((status) => status['startTime'] !== undefined && status['hostIP'] === undefined);
  expect(lacking('late')).not.toEqual([]);
  expect(lacking('prompt')).toEqual([]);
});

test('delayed statuses all arrive late, in order', async () => {
  await using cluster = await TestCluster.start({ behaviour: { statusLagMs: 20 } });
  cluster.createPod('agent', 'exit 0');

  await cluster.untilPhase('agent', 'Succeeded');

  const states = cluster.history
    .get('agent')
    ?.map(({ containerStatuses: [main] }) => Object.keys(main?.state ?? {})[0]);
  expect(states).toEqual([undefined, undefined, 'waiting', 'waiting', 'running', 'terminated']);
});

test('a container whose Secret comes late starts with it', async () => {
  await using cluster = await TestCluster.start();
  const containers = [script('main', 'test "$KEY" = opensesame', { envFrom: [{ secretRef: { name: 'keys' } }] })];
  cluster.createPod('agent', { restartPolicy: 'Never', containers });
  await cluster.untilWaiting('agent', 'CreateContainerConfigError');

  cluster.store.create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys', namespace: 'default' },
    stringData: { KEY: 'opensesame' },
  });

  expect((await cluster.untilPhase('agent', 'Succeeded')).phase).toBe('Succeeded');
});
