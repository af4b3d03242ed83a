import { TransientError } from '../../../../core/errors/errors.ts';
import { agentOf, endingOf, epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { afterCalls, beforeCalls } from '../../../support/around-calls.ts';
import {
  makeSweepDeps,
  putLaunch,
  putPod,
  putService,
  runSweep,
  type TestSweepDeps,
} from '../../../support/make-sweep-deps.ts';

let deps: TestSweepDeps;
beforeEach(() => {
  deps = makeSweepDeps();
});

describe('a launch', () => {
  test('that was accepted and never started is started, with its own plan', async () => {
    await deps.launches.request(recordOf('job'));
    deps.clock.advance(60_000);

    const { findings } = await runSweep(deps);

    expect(findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'NeverStarted', outcome: 'started' }]);
    expect(deps.executions.started.get('job')?.plan).toEqual(planOf('job'));
  });

  test("whose execution is over is ended, with the execution's own words", async () => {
    await putLaunch(deps, 'job');
    deps.executions.finish('job', { status: 'TIMED_OUT', error: 'States.Timeout', cause: 'after 25200 s' });
    deps.clock.advance(60_000);

    const { findings } = await runSweep(deps);

    expect(findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'ExecutionOver', outcome: 'ended' }]);
    expect(await deps.launches.get('job')).toMatchObject({
      status: 'cleaning',
      ending: {
        outcome: 'failed',
        code: 'ExecutionEnded',
        message: 'ExecutionEnded: the execution ended as TIMED_OUT: States.Timeout: after 25200 s',
      },
    });
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId: 'job' }]);
  });

  test.each([
    ['whose execution is over', 60_000],
    ['that is under way longer than all of its deadlines', 20_000_000],
  ])('%s is left alone when its agent connects between the look and the end', async (_what, laterMs) => {
    await putLaunch(deps, 'job');
    deps.executions.finish('job', { status: 'FAILED' });
    deps.clock.advance(laterMs);
    afterCalls(deps.launches, 'get', (launchId) => deps.launches.markConnected(agentOf(launchId), epochMs));

    const { findings, spared } = await runSweep(deps);

    expect(findings).toEqual([]);
    expect(spared).toEqual({ ChangedMeanwhile: 1 });
    expect(await deps.launches.get('job')).toMatchObject({ status: 'connected' });
    expect(deps.invokeLater.events['clean-up']).toEqual([]);
    expect(deps.executions.stopped).toEqual([]);
  });

  test('that has moved is cleaned up again as soon as one of its clusters answers', async () => {
    const unreachable = new Set(['first', 'sandbox']);
    deps.clusters = ['first', 'sandbox'];
    beforeCalls(deps, 'openCluster', (name) => {
      if (unreachable.has(name)) throw new TransientError('ClusterUnreachable', 'no route to host');
    });
    await putLaunch(deps, 'job');
    const plan = planOf('job', { agentName: 'davit-job-r2', generation: 2 });
    const ended = { agentName: 'davit-job', cluster: 'first', code: 'ClusterAway', message: 'x' };
    await deps.launches.relaunch(plan, { ...ended, endedAtEpochMs: epochMs });
    await deps.launches.end('job', endingOf());
    deps.clock.advance(3_600_000);

    await runSweep(deps);
    const before = [...deps.invokeLater.events['clean-up']];
    unreachable.delete('first');
    await runSweep(deps);

    expect(before).toEqual([]);
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId: 'job' }]);
  });
});

async function connected(removeExitedAfterSeconds: number): Promise<void> {
  await putLaunch(deps, 'job', { plan: planOf('job', { removeExitedAfterSeconds }) });
  await deps.launches.markConnected(agentOf('job'), epochMs);
}

describe('an agent that has exited', () => {
  test.each(['Succeeded', 'Failed'])('%s is removed after the time that its profile gives it', async (phase) => {
    await connected(300);
    putPod(deps, { launchId: 'job', phase });
    const first = await runSweep(deps);
    const noted = await deps.launches.get('job');
    deps.clock.advance(299_999);
    const early = await runSweep(deps);
    deps.clock.advance(1);

    const inTime = await runSweep(deps);

    expect([first, early].map(({ findings, spared }) => ({ findings, spared }))).toEqual([
      { findings: [], spared: { AgentJustExited: 1 } },
      { findings: [], spared: { AgentJustExited: 1 } },
    ]);
    expect(noted?.signal).toMatchObject({ code: 'AgentExited', sinceEpochMs: epochMs });
    expect(inTime.findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'AgentExited', outcome: 'ended' }]);
    const ended = phase === 'Failed' ? { outcome: 'failed', code: 'AgentExited' } : { outcome: 'terminated' };
    expect(await deps.launches.get('job')).toMatchObject({
      status: 'cleaning',
      ending: { ...ended, by: 'the agent exited', message: expect.stringContaining(`phase ${phase}`) },
    });
  });

  test.each(['Running', 'Failed'])("is gone when another owner's Pod, now %s, has its name", async (phase) => {
    await connected(0);
    putService(deps, { launchId: 'job' });
    putPod(deps, { launchId: 'job', phase, labels: {} });

    const { findings } = await runSweep(deps);

    expect(findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'AgentExited', outcome: 'ended' }]);
    expect((await deps.launches.get('job'))?.ending).toMatchObject({
      outcome: 'terminated',
      message: "the agent's Pod is gone",
    });
  });

  test.each(['Running', 'Pending', 'Unknown', 'Terminating'])('has not exited while its phase is %s', async (phase) => {
    await connected(0);
    putPod(deps, { launchId: 'job', phase });
    deps.clock.advance(86_400_000);

    const { findings, spared } = await runSweep(deps);

    expect({ findings, spared }).toEqual({ findings: [], spared: {} });
  });

  test('has not exited when its cluster does not answer', async () => {
    await connected(0);
    const away = () => Promise.reject(new TransientError('ClusterUnreachable', 'connect ECONNREFUSED'));

    await runSweep({ ...deps, openCluster: away });
    deps.clock.advance(86_400_000);
    const report = await runSweep({ ...deps, openCluster: away });

    expect(report).toMatchObject({ complete: false, findings: [], errors: [{ message: /ECONNREFUSED/ }] });
    expect(await deps.launches.get('job')).toMatchObject({ status: 'connected' });
  });
});
