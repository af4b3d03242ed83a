import { PendingError, TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { nextGeneration } from '../../../../core/launch/plan-launch.ts';
import { createWithinDeadlines } from '../../../../logic/steps/create-within-deadlines.ts';
import { epochMs, planOf, signalOf } from '../../../contract/launch-fixtures.ts';
import { makeTestDeps, requestLaunch, testLaunchId } from '../../../support/make-test-deps.ts';
import { launchAt } from '../../../support/run-steps.ts';
import { makeTwoClusters, mayMove } from '../../../support/two-clusters.ts';

const deadline = { step: 'CreatePod', sinceEpochMs: epochMs, seconds: 600, code: 'PodDeadlineExceeded' } as const;
const quotaFull = new PendingError('QuotaExceeded', 'exceeded quota: agents');
const throttled = new TransientError('ClusterThrottled', 'too many requests');

function failing(error: Error): () => Promise<never> {
  return async () => {
    throw error;
  };
}

test.each([
  { name: 'TypeError', error: new TypeError('x is undefined') },
  { name: 'TerminalError', error: new TerminalError('NameCollision', 'another owner has the name') },
])('a $name is the same after the deadline', async ({ error }) => {
  const { deps, state: plan } = await launchAt(requestLaunch);
  deps.clock.advance(600_000);

  await expect(createWithinDeadlines(deps, plan, deadline, failing(error))).rejects.toBe(error);
});

const removal = new PendingError('RemovalPending', 'an object of this name is being deleted');

test.each<[fact: string, seconds: number, waitsFor: string | undefined, error: PendingError | TransientError]>([
  ['waits for something else than room fails at the deadline of the step', 600, 'ImagePullFailed', throttled],
  ['waits for another pending thing fails at the deadline of the step', 600, undefined, removal],
  [
    'waits for room, and whose cluster goes away, fails when both times are over',
    600 + planOf(testLaunchId).deadlines.quotaSeconds,
    'QuotaExceeded',
    throttled,
  ],
])('a launch that %s', async (_fact, seconds, waitsFor, error) => {
  const { deps, state: plan } = await launchAt(requestLaunch);
  if (waitsFor) await deps.launches.noteSignal(testLaunchId, signalOf({ code: waitsFor, sinceEpochMs: epochMs }));
  deps.clock.advance(seconds * 1000 - 1);
  const attempt = () => createWithinDeadlines(deps, plan, deadline, failing(error));

  await expect(attempt()).rejects.toBe(error);
  deps.clock.advance(1);
  await expect(attempt()).rejects.toMatchObject({ code: 'PodDeadlineExceeded', cause: error });
});

test('a launch without a record fails at the deadline of the step', async () => {
  const deps = makeTestDeps();
  deps.clock.advance(600_000);

  await expect(createWithinDeadlines(deps, planOf(testLaunchId), deadline, failing(throttled))).rejects.toMatchObject({
    code: 'PodDeadlineExceeded',
  });
});

test('a launch that may move does so when its cluster has had no room for a while', async () => {
  const deps = makeTwoClusters();
  const plan = await requestLaunch(deps, mayMove);
  const attempt = () => createWithinDeadlines(deps, plan, deadline, failing(quotaFull));
  await expect(attempt()).rejects.toBe(quotaFull);
  deps.clock.advance(300_000);

  await expect(attempt()).rejects.toMatchObject({ name: 'RelaunchError', code: 'ClusterFull' });
});

test('a late run for an earlier generation begins no wait of the present one', async () => {
  const { deps, state: plan } = await launchAt(requestLaunch);
  const { agentName } = plan;
  const ended = { agentName, code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: epochMs } as const;
  await deps.launches.relaunch(nextGeneration(plan, epochMs + 1), ended);

  await expect(createWithinDeadlines(deps, plan, deadline, failing(quotaFull))).rejects.toBe(quotaFull);

  expect(await deps.launches.get(testLaunchId)).not.toHaveProperty('signal');
});
