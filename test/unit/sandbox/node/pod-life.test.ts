import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasProcesses } from '../../../../sandbox/node/process-group.ts';
import { conditionsOf, script, TestCluster, waitingReason } from './sandbox-node.ts';

test("a Pod's status passes through the states that a kubelet writes", async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', 'read line < /dev/null; exit 0');

  await cluster.untilPhase('agent', 'Succeeded');

  const told = cluster.history.get('agent')?.map((status) => ({
    phase: status.phase,
    hostIP: status['hostIP'],
    hasPodIP: status['podIP'] !== undefined,
    conditions: conditionsOf(status).join(' '),
    container: Object.keys(status.containerStatuses[0]?.state ?? {})[0],
  }));
  const scheduled = 'PodScheduled=True';
  const unready = `Initialized=True Ready=False ContainersReady=False ${scheduled}`;
  const ready = `PodReadyToStartContainers=True Initialized=True Ready=True ContainersReady=True ${scheduled}`;
  const on = { phase: 'Pending', hostIP: '127.0.0.1' };
  expect(told).toEqual([
    { phase: 'Pending', hostIP: undefined, hasPodIP: false, conditions: '', container: undefined },
    { phase: 'Pending', hostIP: undefined, hasPodIP: false, conditions: scheduled, container: undefined },
    { ...on, hasPodIP: false, conditions: `PodReadyToStartContainers=False ${unready}`, container: 'waiting' },
    { ...on, hasPodIP: true, conditions: `PodReadyToStartContainers=True ${unready}`, container: 'waiting' },
    { ...on, phase: 'Running', hasPodIP: true, conditions: ready, container: 'running' },
    {
      ...on,
      phase: 'Succeeded',
      hasPodIP: true,
      conditions: `PodReadyToStartContainers=True ${unready}`,
      container: 'terminated',
    },
  ]);
  expect(cluster.events('agent')).toEqual([
    'Created: Created container: main',
    'Pulled: Successfully pulled image "sh:1" in 0ms (0ms including waiting). Image size: 0 bytes.',
    'Pulling: Pulling image "sh:1"',
    'Scheduled: Successfully assigned default/agent to sandbox-node',
    'Started: Started container main',
  ]);
});

test("a container has the environment that its Pod gives it, and none of the node's own", async () => {
  process.env['NODE_SECRET'] = 'leaked';
  await using cluster = await TestCluster.start({ apiServer: { host: '127.0.0.1', port: 6443 } });
  cluster.createPod('agent', {
    restartPolicy: 'Never',
    containers: [
      script('main', 'echo "$(NAME) $POD_IP $HOSTNAME $KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT"; env', {
        env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      }),
    ],
  });

  const { podIP } = await cluster.untilPhase('agent', 'Succeeded');

  const log = await cluster.log('agent');
  expect(log).toContain(`agent ${String(podIP)} agent 127.0.0.1:6443\n`);
  expect(log).not.toContain('leaked');
});

test('init containers run one after the other, before the containers; a sidecar runs beside them to the end', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', {
    restartPolicy: 'Never',
    initContainers: [
      script('first', 'echo first'),
      script('side', 'trap "exit 0" TERM; while true; do sleep 0.05; done', { restartPolicy: 'Always' }),
      script('second', 'echo second'),
    ],
    containers: [script('main', 'echo main')],
  });

  const status = await cluster.untilPhase('agent', 'Succeeded');

  const steps = cluster.history
    .get('agent')
    ?.map(({ initContainerStatuses = [], containerStatuses }) =>
      [...(initContainerStatuses as typeof containerStatuses), ...containerStatuses]
        .map(({ state }) => Object.keys(state)[0]?.charAt(0))
        .join(''),
    );
  // w: waiting, r: running, t: terminated; of first, side, second and main.
  expect([...new Set(steps)]).toEqual(['', 'wwww', 'rwww', 'twww', 'trww', 'trrw', 'trtw', 'trtr', 'trtt', 'tttt']);
  expect(status['initContainerStatuses']).toMatchObject([
    { name: 'first', ready: true, state: { terminated: { reason: 'Completed' } } },
    { name: 'side' },
    { name: 'second', ready: true },
  ]);
});

test('an init container that fails for good fails the Pod, whose containers never start', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', {
    restartPolicy: 'Never',
    initContainers: [script('init', 'exit 7')],
    containers: [script('main', 'echo main')],
  });

  const status = await cluster.untilPhase('agent', 'Failed');

  expect(status['initContainerStatuses']).toMatchObject([{ state: { terminated: { exitCode: 7, reason: 'Error' } } }]);
  expect(waitingReason(status.containerStatuses[0])).toBe('PodInitializing');
});

test('a failing container is restarted: at once, then in a crash loop that keeps its last log', async () => {
  await using cluster = await TestCluster.start({ behaviour: { crashBackOff: { baseMs: 60_000, maxMs: 60_000 } } });
  cluster.createPod('agent', { restartPolicy: 'OnFailure', containers: [script('main', 'echo run; exit 2')] });

  const status = await cluster.untilWaiting('agent', 'CrashLoopBackOff');

  expect(status.phase).toBe('Running');
  expect(status.containerStatuses).toMatchObject([
    { restartCount: 1, ready: false, started: false, lastState: { terminated: { exitCode: 2, reason: 'Error' } } },
  ]);
  expect(await cluster.log('agent')).toBe('run\n');
  expect(await cluster.log('agent', { previous: true })).toBe('run\n');
});

test('a restarted container has the log of this run and that of the previous one', async () => {
  await using cluster = await TestCluster.start();
  const count = 'if [ -e ran ]; then echo second; sleep 60; else touch ran; echo first; exit 1; fi';
  cluster.createPod('agent', { restartPolicy: 'Always', containers: [script('main', count)] });
  await cluster.untilStatus('agent', ({ containerStatuses: [main] }) => main?.restartCount === 1 && main.started);

  expect(await cluster.firstLines('agent', 1)).toEqual(['second']);

  expect(await cluster.log('agent', { previous: true })).toBe('first\n');
});

test('a Pod that exceeds activeDeadlineSeconds fails with DeadlineExceeded', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', {
    activeDeadlineSeconds: 1,
    terminationGracePeriodSeconds: 1,
    containers: [script('main', 'exec sleep 60')],
  });

  const status = await cluster.untilPhase('agent', 'Failed');

  expect(status).toMatchObject({
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
    containerStatuses: [{ state: { terminated: { exitCode: 143, signal: 15 } } }],
  });
});

test('a Pod is ready once its readiness probe succeeds', async () => {
  await using cluster = await TestCluster.start();
  const readinessProbe = { exec: { command: ['test', '-e', 'up'] }, periodSeconds: 0.02 };
  cluster.createPod('agent', {
    containers: [script('main', 'echo started; sleep 0.1; touch up; exec sleep 60', { readinessProbe })],
  });

  const before = await cluster.untilPhase('agent', 'Running');
  const after = await cluster.untilStatus('agent', (status) => conditionsOf(status).includes('Ready=True'));

  expect(conditionsOf(before)).toContain('Ready=False');
  expect(after.containerStatuses).toMatchObject([{ ready: true }]);
});

test('two Pods listen on the same port, each at its own address', async () => {
  await using cluster = await TestCluster.start();
  const listen = `require('node:net').createServer().listen(7000, process.env.POD_IP, () => console.log('up'))`;
  for (const name of ['a', 'b']) cluster.createPod(name, { containers: [script('main', `exec node -e "${listen}"`)] });

  expect(await cluster.firstLines('a', 1)).toEqual(['up']);
  expect(await cluster.firstLines('b', 1)).toEqual(['up']);

  const addresses = ['a', 'b'].map((name) => cluster.pod(name).status?.['podIP']);
  expect(new Set(addresses).size).toBe(2);
});

test('a stopped node leaves no process and no directory of a Pod', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', 'trap "" TERM; echo $$$$; pwd; while true; do sleep 0.1; done');
  const [group, directory = ''] = await cluster.firstLines('agent', 2);

  await cluster.node.stop();

  while (hasProcesses(Number(group))) {
    await sleep(10);
  }
  expect(existsSync(join(directory, '..'))).toBe(false);
});
