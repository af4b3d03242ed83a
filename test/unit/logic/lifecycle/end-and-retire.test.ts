import { TransientError } from '../../../../core/errors/errors.ts';
import { jobEnding } from '../../../../core/job/job-ending.ts';
import { askForRetirement, endAndRetire } from '../../../../logic/lifecycle/end-and-retire.ts';
import type { InvokeLater } from '../../../../ports/invoke-later.ts';
import { agentOf, endingOf, epochMs, jobRunner, joinedPlanOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { makeLaunchDeps, type TestLaunchDeps } from '../../../support/make-launch-deps.ts';

const launchId = 'gitea-7-8-1';
const runner = { id: 7, name: 'davit-0a1b2c3d-gitea-7-8-1' };
const actor = { kind: 'person', name: 'arn:aws:iam::123456789012:user/ada' } as const;
const deleted = endingOf({ by: 'DELETE /launches', actor, message: 'not needed' });
let deps: TestLaunchDeps;

beforeEach(async () => {
  deps = makeLaunchDeps();
  await deps.launches.request(recordOf(launchId, { plan: joinedPlanOf(launchId) }));
});

async function register(): Promise<void> {
  await deps.registrations.begin(agentOf(launchId), 'nonce', epochMs);
  await deps.registrations.complete(agentOf(launchId), 'nonce', runner, epochMs);
}

test('ending a launch requests the removal of its runner, in the name of the same actor', async () => {
  await register();

  const ended = await endAndRetire(deps, launchId, deleted);

  expect(ended?.record.status).toBe('cleaning');
  expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId }]);
  expect(deps.invokeLater.events['retire-runner']).toEqual([
    { launchId, reason: 'not needed', by: 'DELETE /launches', actor },
  ]);
});

test('the removal of a runner is requested in the name of davit when no actor ended its launch', async () => {
  const by = 'the agent exited';
  const ending = { outcome: 'failed', code: 'AgentExited', message: 'gone', by, atEpochMs: epochMs } as const;

  await askForRetirement(
    deps,
    recordOf(launchId, { plan: joinedPlanOf(launchId), status: 'cleaning', runner, ending }),
  );

  expect(deps.invokeLater.events['retire-runner']).toEqual([
    { launchId, reason: 'gone', by, actor: { kind: 'davit', name: by } },
  ]);
});

test('an unknown launch leaves no runner', async () => {
  expect(await endAndRetire(deps, 'gitea-7-9-1', deleted)).toBeUndefined();
  expect(deps.invokeLater.events['retire-runner']).toEqual([]);
});

async function bound(): Promise<void> {
  await register();
  await deps.registrations.bind(launchId, jobRunner(runner.id), { jobKey: 'gitea/7/8/1' }, epochMs);
}
async function deregistered(): Promise<void> {
  await register();
  await deps.registrations.noteDeregistered(launchId, runner.id, epochMs);
}

test.each([
  ['of a busy runner is requested if a person has ended its launch', 1, bound, deleted, {}],
  ['of a runner whose own job ended the launch is not', 0, bound, jobEnding('gitea', 'success', epochMs), {}],
  ['is not requested while the agent has not registered', 0, async () => {}, deleted, {}],
  ['is not requested of a deregistered runner', 0, deregistered, deleted, {}],
  ['is not requested while its launch is not ended', 0, register, deleted, { unlessConnected: true }],
])('the removal %s', async (_what, requested, prepare, ending, options) => {
  await prepare();

  await endAndRetire(deps, launchId, ending, options);

  expect(deps.invokeLater.events['retire-runner']).toHaveLength(requested);
});

test('a repeat makes a failed request again', async () => {
  await register();
  const invokeLater: InvokeLater<'clean-up' | 'retire-runner'> = async (...[functionName]) => {
    if (functionName === 'retire-runner') throw new TransientError('StoreUnavailable', 'throttled');
  };
  await expect(endAndRetire({ ...deps, invokeLater }, launchId, deleted)).rejects.toThrow('throttled');

  await endAndRetire(deps, launchId, deleted);

  expect(deps.invokeLater.events['retire-runner']).toHaveLength(1);
});
