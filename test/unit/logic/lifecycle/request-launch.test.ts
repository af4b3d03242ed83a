import { planLaunch } from '../../../../core/launch/plan-launch.ts';
import { endLaunch } from '../../../../logic/lifecycle/end-launch.ts';
import { requestLaunch } from '../../../../logic/lifecycle/request-launch.ts';
import { endingOf } from '../../../contract/launch-fixtures.ts';
import { afterCalls } from '../../../support/around-calls.ts';
import { makeLaunchDeps, testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const launchId = 'github-1-2-1';
const plan = planLaunch(makeProfile(), { launchId }, testNowEpochMs);

test('a new launch continues even when another version of davit has started it with other input', async () => {
  const deps = makeLaunchDeps();
  const ofAnotherVersion = { ...plan, sourceUrl: 'https://ci.example/of-another-version' };
  afterCalls(deps.launches, 'request', () => deps.executions.start(ofAnotherVersion));

  const { duplicate, record } = await requestLaunch(deps, plan);

  expect({ duplicate, status: record.status }).toEqual({ duplicate: false, status: 'launching' });
  expect(await deps.launches.get(launchId)).toMatchObject({ status: 'launching' });
  expect(await deps.executions.running()).toEqual(new Set([launchId]));
  expect(deps.invokeLater.events['clean-up']).toEqual([]);
});

test('a launch that is being cleaned up is not started again', async () => {
  const deps = makeLaunchDeps();
  await requestLaunch(deps, plan);
  await endLaunch(deps, launchId, endingOf());
  deps.executions.started.clear();

  const { duplicate, record } = await requestLaunch(deps, plan);

  expect({ duplicate, status: record.status }).toEqual({ duplicate: true, status: 'cleaning' });
  expect(deps.executions.started.size).toBe(0);
});
