import { script, TestCluster } from './sandbox-node.ts';

test('a deleted Pod gets SIGTERM, and is gone when it has ended', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', 'trap "exit 0" TERM; echo up; while true; do sleep 0.02; done');
  await cluster.firstLines('agent', 1);

  cluster.store.delete('pods', 'default', 'agent');
  const last = await cluster.untilGone('agent');

  expect(last).toMatchObject({
    phase: 'Succeeded',
    containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
  });
  expect(cluster.events('agent')).toContain('Killing: Stopping container main');
});

test('a Pod that does not end by itself is killed when its grace period is over', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', 'trap "" TERM; echo up; while true; do sleep 0.02; done');
  await cluster.firstLines('agent', 1);

  cluster.store.delete('pods', 'default', 'agent', { gracePeriodSeconds: 1 });
  const last = await cluster.untilGone('agent');

  expect(last.containerStatuses).toMatchObject([{ state: { terminated: { exitCode: 137, signal: 9 } } }]);
});

test('a grace period can be shortened while it runs', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', {
    terminationGracePeriodSeconds: 3600,
    containers: [script('main', 'trap "" TERM; echo up; while true; do sleep 0.02; done')],
  });
  await cluster.firstLines('agent', 1);

  cluster.store.delete('pods', 'default', 'agent');
  cluster.store.delete('pods', 'default', 'agent', { gracePeriodSeconds: 1 });
  const last = await cluster.untilGone('agent');

  expect(last.containerStatuses).toMatchObject([{ state: { terminated: { exitCode: 137 } } }]);
});

test('a Pod that is deleted by force ends although the API has forgotten it', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', 'echo up; exec sleep 60');
  await cluster.firstLines('agent', 1);
  const log = cluster.log('agent', { follow: true });

  cluster.store.delete('pods', 'default', 'agent', { gracePeriodSeconds: 0 });

  // A followed log ends with its container.
  expect(await log).toBe('up\n');
});

test('a Pod that is deleted before its image is pulled fails and goes', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', { containers: [{ name: 'main', image: 'team/none:1' }] });
  await cluster.untilWaiting('agent', 'ImagePullBackOff');

  cluster.store.delete('pods', 'default', 'agent');
  const last = await cluster.untilGone('agent');

  expect(last.phase).toBe('Failed');
});

test('a preStop hook runs before the container gets SIGTERM', async () => {
  await using cluster = await TestCluster.start();
  const lifecycle = { preStop: { exec: { command: ['touch', 'stopping'] } } };
  cluster.createPod('agent', {
    containers: [
      script('main', 'trap "[ -e stopping ] && exit 9" TERM; echo up; while true; do sleep 0.02; done', { lifecycle }),
    ],
  });
  await cluster.firstLines('agent', 1);

  cluster.store.delete('pods', 'default', 'agent');
  const last = await cluster.untilGone('agent');

  expect(last.containerStatuses).toMatchObject([{ state: { terminated: { exitCode: 9 } } }]);
});

test('a preStop hook that cannot run does not keep the Pod alive', async () => {
  await using cluster = await TestCluster.start();
  const lifecycle = { preStop: { exec: { command: ['no-such-command'] } } };
  cluster.createPod('agent', { containers: [script('main', 'echo up; exec sleep 60', { lifecycle })] });
  await cluster.firstLines('agent', 1);

  cluster.store.delete('pods', 'default', 'agent');
  await cluster.untilGone('agent');

  expect(cluster.events('agent')).toContain('FailedPreStopHook: PreStopHook failed');
});

test('a new Pod of the same name is another Pod', async () => {
  await using cluster = await TestCluster.start();
  cluster.createPod('agent', 'echo first; exec sleep 60');
  await cluster.firstLines('agent', 1);
  cluster.store.delete('pods', 'default', 'agent');
  await cluster.untilGone('agent');

  cluster.createPod('agent', 'echo second; exec sleep 60');

  expect(await cluster.firstLines('agent', 1)).toEqual(['second']);
});
