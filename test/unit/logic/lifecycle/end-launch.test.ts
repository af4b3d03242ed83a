import { TransientError } from '../../../../core/errors/errors.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { endJob } from '../../../../logic/lifecycle/end-job.ts';
import { endLaunch } from '../../../../logic/lifecycle/end-launch.ts';
import { afterCalls, beforeCalls } from '../../../support/around-calls.ts';
import { makeLaunchDeps, type TestLaunchDeps, testNowEpochMs } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const launchId = 'github-1-2-1';
const record = newRecord(planLaunch(makeProfile(), { launchId }, testNowEpochMs));
const ending = {
  outcome: 'terminated' as const,
  code: 'Terminated',
  message: 'the job completed: success',
  by: 'github workflow_job completed (success)',
  actor: { kind: 'ciSystem' as const, name: 'github' },
  atEpochMs: testNowEpochMs,
};
const outage = new TransientError('StoreUnavailable', 'no answer');

let deps: TestLaunchDeps;
beforeEach(() => {
  deps = makeLaunchDeps();
});

test('ending an unknown launch creates no record', async () => {
  expect(await endLaunch(deps, launchId, ending)).toBeUndefined();
  expect(await deps.launches.get(launchId)).toBeUndefined();
});

describe('endLaunch', () => {
  beforeEach(() => deps.launches.request(record));

  test('marks the launch, then requests its clean-up, then stops it', async () => {
    const calls: string[] = [];
    beforeCalls(deps.launches, 'end', () => calls.push('mark'));
    beforeCalls(deps.executions, 'stop', () => calls.push('stop'));
    const invokeLater = async (functionName: string) => void calls.push(functionName);

    await endLaunch({ ...deps, invokeLater }, launchId, ending);

    expect(calls).toEqual(['mark', 'clean-up', 'stop']);
  });

  test.each(['stop', 'clean-up'])('a repeat finishes an ending that died at "%s"', async (step) => {
    const dying = makeLaunchDeps({ launches: deps.launches });
    if (step === 'stop') dying.executions.stop = () => Promise.reject(outage);
    else dying.invokeLater.failure = outage;
    await expect(endLaunch(dying, launchId, ending)).rejects.toBe(outage);
    // If no clean-up was requested, nothing would clean up after a stopped execution.
    expect(dying.executions.stopped).toEqual([]);

    const ended = await endLaunch(deps, launchId, { ...ending, atEpochMs: testNowEpochMs + 1 });

    expect(ended).toMatchObject({ duplicate: true, record: { status: 'cleaning', ending } });
    expect(deps.executions.stopped).toHaveLength(1);
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId }]);
  });

  test('leaves a cleaned-up launch unchanged', async () => {
    await deps.launches.end(launchId, { ...ending, outcome: 'failed', by: 'the state machine' });
    await deps.launches.markCleaned(launchId, testNowEpochMs);

    const ended = await endLaunch(deps, launchId, ending);

    expect(ended).toMatchObject({ duplicate: true, record: { status: 'failed' } });
    expect(deps.invokeLater.events['clean-up']).toEqual([]);
  });

  test('does not end a connected launch on request: cleans up and stops nothing', async () => {
    await deps.launches.markConnected({ launchId, agentName: `davit-${launchId}` }, testNowEpochMs);

    const ended = await endLaunch(deps, launchId, ending, { unlessConnected: true });

    expect(ended?.record).toMatchObject({ status: 'connected' });
    expect(deps.invokeLater.events['clean-up']).toEqual([]);
    expect(deps.executions.stopped).toEqual([]);
  });
});

describe('endJob', () => {
  test('a launch that appears between the look and the tombstone is ended', async () => {
    const restore = afterCalls(deps.launches, 'end', async () => {
      restore();
      await deps.launches.request(record);
    });

    const ended = await endJob(deps, launchId, ending);

    expect(ended).toMatchObject({ duplicate: false, record: { status: 'cleaning', plan: record.plan, ending } });
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId }]);
  });

  test('a record that appears and disappears is an error that a repeat resolves', async () => {
    deps.launches.request = async () => ({ created: false, record });

    await expect(endJob(deps, launchId, ending)).rejects.toThrow(
      "WriteConflict: the launch's record came and went (launch github-1-2-1)",
    );
  });
});
