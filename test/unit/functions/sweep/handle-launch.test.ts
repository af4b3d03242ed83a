import { TransientError } from '../../../../core/errors/errors.ts';
import { agentOf, endingOf, epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { beforeCalls } from '../../../support/around-calls.ts';
import { makeSweepDeps, putLaunch, putPod, runSweep, type TestSweepDeps } from '../../../support/make-sweep-deps.ts';

let deps: TestSweepDeps;
beforeEach(() => {
  deps = makeSweepDeps();
});

test('a launch that cannot be read again is reported as failed', async () => {
  await deps.launches.request(recordOf('job'));
  deps.clock.advance(60_000);
  deps.executions.status = async () => {
    throw new TransientError('StoreUnavailable', 'DescribeExecution: throttled');
  };

  expect(await runSweep(deps)).toMatchObject({
    complete: false,
    findings: [{ kind: 'Launch', launchId: 'job', reason: 'NeverStarted', outcome: 'failed' }],
    errors: [{ subject: 'launch job', message: 'StoreUnavailable: DescribeExecution: throttled' }],
  });
});

test('a launch whose record has expired since the list is left alone', async () => {
  await deps.launches.request(recordOf('job'));
  deps.clock.advance(60_000);
  deps.launches.get = async () => undefined;

  expect(await runSweep(deps)).toMatchObject({ complete: true, findings: [], spared: { ChangedMeanwhile: 1 } });
});

test('a launch whose record expires as it is ended counts as ended', async () => {
  await putLaunch(deps, 'job');
  deps.clock.advance(20_000_000);
  deps.launches.end = async () => undefined;

  expect((await runSweep(deps)).done).toEqual({ ended: 1 });
});

test('a clean-up that another sweep has just requested is not requested again', async () => {
  await putLaunch(deps, 'job');
  await deps.launches.end('job', endingOf({ by: 'DELETE /launches', atEpochMs: epochMs }));
  deps.clock.advance(60_000);
  deps.launches.claimCleanUp = async () => false;

  expect(await runSweep(deps)).toMatchObject({ findings: [], spared: { ChangedMeanwhile: 1 } });
  expect(deps.invokeLater.events['clean-up']).toEqual([]);
});

test('an agent that is there again when the sweep looks is left alone', async () => {
  await putLaunch(deps, 'job', { plan: planOf('job', { removeExitedAfterSeconds: 0 }) });
  await deps.launches.markConnected(agentOf('job'), epochMs);
  beforeCalls(deps.executions, 'running', () => putPod(deps, { launchId: 'job' }));

  const { findings, spared } = await runSweep(deps);

  expect({ findings, spared }).toEqual({ findings: [], spared: { ChangedMeanwhile: 1 } });
  expect((await deps.launches.get('job'))?.signal).toBeUndefined();
});

test('an execution is stopped again with the words of the ending', async () => {
  await putLaunch(deps, 'job');
  const ending = endingOf({ by: 'DELETE /launches', message: 'not needed', atEpochMs: epochMs });
  await deps.launches.end('job', ending);
  deps.clock.advance(60_000);

  await runSweep(deps);

  expect(deps.executions.stopped).toEqual([{ launchId: 'job', cause: 'not needed' }]);
});

/** @see docs/adr/0008-the-sweep-reads-again-before-it-acts.md */
test('the record is read after the execution: a launch that connects in between is left alone', async () => {
  await deps.launches.request(recordOf('job'));
  deps.clock.advance(60_000);
  deps.executions.status = async () => {
    await deps.launches.markConnected(agentOf('job'), epochMs);
    return { status: 'SUCCEEDED' };
  };

  const { findings, spared } = await runSweep(deps);

  expect({ findings, spared }).toEqual({ findings: [], spared: { ChangedMeanwhile: 1 } });
  expect(await deps.launches.get('job')).toMatchObject({ status: 'connected' });
});
