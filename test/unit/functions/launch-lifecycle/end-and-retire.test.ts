import { beforeEach, expect, test } from '@jest/globals';
import { TransientError } from '../../../../functions/domain/errors.ts';
import { jobEnding } from '../../../../functions/domain/job-ending.ts';
import { endAndRetire } from '../../../../functions/launch-lifecycle/end-and-retire.ts';
import { agentOf, endingOf, epochMs, joinedPlanOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { makeLaunchDeps, type TestLaunchDeps } from '../../../support/make-launch-deps.ts';

const launchId = 'gitea-7-8-1';
const runner = { id: 7, name: 'davit-0a1b2c3d-gitea-7-8-1' };
const deleted = endingOf({ by: 'DELETE /launches', message: 'not needed' });
let deps: TestLaunchDeps;

beforeEach(async () => {
  deps = makeLaunchDeps();
  await deps.launches.request(recordOf(launchId, { plan: joinedPlanOf(launchId) }));
});

async function register(): Promise<void> {
  await deps.registrations.begin(agentOf(launchId), 'nonce', epochMs);
  await deps.registrations.complete(agentOf(launchId), 'nonce', runner, epochMs);
}

test('the runner of a launch that is ended is asked to be taken out, by whom the launch was ended', async () => {
  await register();

  const ended = await endAndRetire(deps, launchId, deleted);

  expect(ended?.record.status).toBe('cleaning');
  expect(deps.cleanUps.requested).toEqual([launchId]);
  expect(deps.retirements.requested).toEqual([{ launchId, reason: 'not needed', by: 'DELETE /launches' }]);
});

test('a launch whose agent has not registered leaves nothing to be taken out', async () => {
  await endAndRetire(deps, launchId, deleted);

  expect(deps.retirements.requested).toEqual([]);
});

test('the runner of an agent that runs a job is asked for, too, if a person has ended its launch', async () => {
  await register();
  await deps.registrations.bind(launchId, runner.id, 'gitea/7/8/1', epochMs);

  await endAndRetire(deps, launchId, deleted);

  expect(deps.retirements.requested).toHaveLength(1);
});

test('a runner is left to the job that it ran, if that has ended the launch', async () => {
  await register();
  await deps.registrations.bind(launchId, runner.id, 'gitea/7/8/1', epochMs);

  await endAndRetire(deps, launchId, jobEnding('gitea', 'success', epochMs));

  expect(deps.retirements.requested).toEqual([]);
});

test('a runner that is out already is not asked for', async () => {
  await register();
  await deps.registrations.noteDeregistered(launchId, runner.id, epochMs);

  await endAndRetire(deps, launchId, deleted);

  expect(deps.retirements.requested).toEqual([]);
});

test('a launch that is left alone keeps its runner', async () => {
  await register();

  await endAndRetire(deps, launchId, deleted, { unlessConnected: true });

  expect(deps.retirements.requested).toEqual([]);
});

test('a request that fails is made again by the repeat', async () => {
  await register();
  const request = async () => Promise.reject(new TransientError('StoreUnavailable', 'throttled'));
  await expect(endAndRetire({ ...deps, retirements: { request } }, launchId, deleted)).rejects.toThrow('throttled');

  await endAndRetire(deps, launchId, deleted);

  expect(deps.retirements.requested).toHaveLength(1);
});
