import { leftRunnerOf } from '../../../../core/launch/left-runner.ts';
import { planLaunch } from '../../../../core/launch/plan-launch.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const join = { ciSystem: 'github', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 300 };
const plan = planLaunch(makeProfile(), { launchId: 'github-1-2-1', join }, 0);
const { join: _join, ...planWithoutJoin } = plan;
const runner = { id: 7, name: 'davit-0a1b2c3d-github-1-2-1' };

test('the runner of a launch may still be in its CI system until davit sees that it is gone', () => {
  expect(leftRunnerOf({ plan, runner })).toEqual({ join, runner });
  expect(leftRunnerOf({ plan, runner, deregisteredAtEpochMs: 1 })).toBeUndefined();
});

test('an agent that davit did not register leaves no runner', () => {
  expect(leftRunnerOf({ plan })).toBeUndefined();
  expect(leftRunnerOf({ plan: planWithoutJoin, runner })).toBeUndefined();
  expect(leftRunnerOf({ runner })).toBeUndefined();
});
