import { TransientError } from '../../../../core/errors/errors.ts';
import { cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import { agentOf, endingOf, epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import {
  makeSweepDeps,
  putBoth,
  putLaunch,
  putPod,
  putService,
  runSweep,
  type TestSweepDeps,
} from '../../../support/make-sweep-deps.ts';

describe('a launch', () => {
  test('that was accepted and never started is started, with its own plan', async () => {
    const deps = makeSweepDeps();
    await deps.launches.request(recordOf('job'));
    deps.clock.advance(60_000);

    const { findings } = await runSweep(deps);

    expect(findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'NeverStarted', outcome: 'started' }]);
    expect(deps.executions.started.get('job')?.plan).toEqual(planOf('job'));
  });

  test('that was accepted a moment ago is left to the function that accepted it', async () => {
    const deps = makeSweepDeps();
    await deps.launches.request(recordOf('job'));
    deps.clock.advance(59_999);

    expect((await runSweep(deps)).findings).toEqual([]);
    expect((await runSweep(deps, { graceSeconds: 0 })).done).toEqual({ started: 1 });
  });

  test("whose execution is over is ended, with the execution's own words", async () => {
    const deps = makeSweepDeps();
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
    const deps = makeSweepDeps();
    await putLaunch(deps, 'job');
    deps.executions.finish('job', { status: 'FAILED' });
    deps.clock.advance(laterMs);
    const get = deps.launches.get.bind(deps.launches);
    deps.launches.get = async (launchId) => {
      const record = await get(launchId);
      await deps.launches.markConnected(agentOf(launchId), epochMs);
      return record;
    };

    const { findings, spared } = await runSweep(deps);

    expect(findings).toEqual([]);
    expect(spared).toEqual({ ChangedMeanwhile: 1 });
    expect(await get('job')).toMatchObject({ status: 'connected' });
    expect(deps.invokeLater.events['clean-up']).toEqual([]);
    expect(deps.executions.stopped).toEqual([]);
  });

  test('that is under way longer than all of its deadlines is ended, and its execution stopped', async () => {
    const deps = makeSweepDeps();
    await putLaunch(deps, 'job');
    deps.clock.advance(20_000_000);

    const { findings } = await runSweep(deps);

    expect(findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'LaunchExpired', outcome: 'ended' }]);
    expect(deps.executions.stopped.map(({ launchId }) => launchId)).toEqual(['job']);
    expect(await deps.launches.get('job')).toMatchObject({
      ending: { outcome: 'failed', code: 'LaunchExpired', by: 'the sweep' },
    });
  });

  test('whose agent is connected for too long is ended', async () => {
    const deps = makeSweepDeps();
    await putLaunch(deps, 'job', { plan: planOf('job', { maxAgentLifetimeSeconds: 3600 }) });
    await deps.launches.markConnected(agentOf('job'), epochMs);
    putBoth(deps, { launchId: 'job' });
    deps.clock.advance(3_599_999);
    const before = await runSweep(deps);
    deps.clock.advance(1);

    const { findings } = await runSweep(deps);

    expect(before.findings).toEqual([]);
    expect(findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'AgentLifetimeExceeded', outcome: 'ended' }]);
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId: 'job' }]);
    expect(await deps.launches.get('job')).toMatchObject({
      ending: {
        outcome: 'failed',
        code: 'AgentLifetimeExceeded',
        message: 'AgentLifetimeExceeded: the agent was connected for 3600 s of 3600 s',
      },
    });
  });

  test('whose clean-up fails is stopped and gets new requests, at growing intervals', async () => {
    const deps = makeSweepDeps();
    await putLaunch(deps, 'job');
    await deps.launches.end('job', endingOf({ by: 'DELETE /launches', atEpochMs: epochMs }));
    const askedAtMinutes: number[] = [];

    for (let minute = 0; minute <= 65; minute += 1) {
      const { done } = await runSweep(deps);
      if (done.asked === 1) askedAtMinutes.push(minute);
      deps.clock.advance(60_000);
    }

    expect(askedAtMinutes).toEqual([1, 2, 4, 8, 16, 31, 46, 61]);
    expect(deps.invokeLater.events['clean-up']).toHaveLength(8);
    expect(deps.executions.stopped).toHaveLength(8);
  });

  test('whose Pod is held is cleaned up as soon as the time is over, and its Pod stays until then', async () => {
    const deps = makeSweepDeps();
    await putLaunch(deps, 'job', { plan: planOf('job', { holdFailedSeconds: 600 }) });
    putPod(deps, { launchId: 'job' });
    await deps.launches.end('job', endingOf({ atEpochMs: epochMs }));
    await deps.launches.noteDiagnostics('job', { atEpochMs: epochMs, events: [], unread: [] });
    deps.clock.advance(599_000);

    const early = await runSweep(deps);
    deps.clock.advance(1000);
    const late = await runSweep(deps);

    expect(early).toMatchObject({ complete: true, findings: [], inFlight: { cleaning: 1, oldestSeconds: 0 } });
    expect(late.findings).toMatchObject([{ reason: 'CleanUpUnfinished', outcome: 'asked' }]);
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId: 'job' }]);
    expect(deps.cluster.pods.all()).toHaveLength(1);
    expect(await deps.launches.get('job')).toMatchObject({ hold: { releasedAtEpochMs: epochMs + 600_000 } });
  });

  test('whose held Pod is gone is cleaned up after the grace: it takes up no room', async () => {
    const deps = makeSweepDeps();
    await putLaunch(deps, 'job', { plan: planOf('job', { holdFailedSeconds: 600 }) });
    const uid = putPod(deps, { launchId: 'job' });
    await deps.launches.end('job', endingOf({ atEpochMs: epochMs }));
    await deps.launches.noteDiagnostics('job', { atEpochMs: epochMs, events: [], unread: [] });
    deps.clock.advance(60_000);
    const before = await runSweep(deps);
    const { namespace, agentName } = planOf('job');
    await deps.cluster.pods.delete(namespace, agentName, uid);

    const { findings } = await runSweep(deps);
    await cleanUp(deps, { launchId: 'job' });

    expect(before.findings).toEqual([]);
    expect(findings).toMatchObject([{ reason: 'CleanUpUnfinished', outcome: 'asked' }]);
    expect(await deps.launches.get('job')).toMatchObject({ status: 'failed' });
  });

  test('that has moved is cleaned up again as soon as one of its clusters answers', async () => {
    const cluster = makeSweepDeps();
    const unreachable = new Set(['first', 'sandbox']);
    const deps = {
      ...cluster,
      clusters: ['first', 'sandbox'],
      openCluster: async (name: string) => {
        if (unreachable.has(name)) throw new TransientError('ClusterUnreachable', 'no route to host');
        return cluster.cluster;
      },
    };
    await putLaunch(deps, 'job');
    const plan = planOf('job', { agentName: 'davit-job-r2', generation: 2 });
    const ended = {
      agentName: 'davit-job',
      cluster: 'first',
      code: 'ClusterAway',
      message: 'x',
      endedAtEpochMs: epochMs,
    };
    await deps.launches.relaunch(plan, ended);
    await deps.launches.end('job', endingOf());
    deps.clock.advance(3_600_000);

    await runSweep(deps);
    const before = [...deps.invokeLater.events['clean-up']];
    unreachable.delete('first');
    await runSweep(deps);

    expect(before).toEqual([]);
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId: 'job' }]);
  });

  test('in clean-up by the state machine is left to it', async () => {
    const deps = makeSweepDeps();
    await putLaunch(deps, 'job');
    await deps.launches.end('job', endingOf({ by: 'the state machine', atEpochMs: epochMs }));
    deps.clock.advance(600_000);
    const before = await runSweep(deps);
    deps.executions.finish('job', { status: 'FAILED' });

    const after = await runSweep(deps);

    expect({ before: before.done, after: after.done }).toEqual({ before: {}, after: { asked: 1 } });
  });
});

async function connected(deps: TestSweepDeps, removeExitedAfterSeconds?: number): Promise<void> {
  const limit = removeExitedAfterSeconds === undefined ? {} : { removeExitedAfterSeconds };
  await putLaunch(deps, 'job', { plan: planOf('job', limit) });
  await deps.launches.markConnected(agentOf('job'), epochMs);
}

describe('an agent that has exited', () => {
  test.each(['Succeeded', 'Failed'])('%s is removed after the time that its profile gives it', async (phase) => {
    const deps = makeSweepDeps();
    await connected(deps, 300);
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

  test('is removed by the first sweep, with the words of its cluster, if its profile gives it no time', async () => {
    const deps = makeSweepDeps();
    await connected(deps, 0);
    putService(deps, { launchId: 'job' });

    const report = await runSweep(deps);

    expect(report.findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'AgentExited', outcome: 'ended' }]);
    expect((await deps.launches.get('job'))?.ending).toMatchObject({ message: "the agent's Pod is gone" });
  });

  test.each(['Running', 'Failed'])("is gone when another owner's Pod, now %s, has its name", async (phase) => {
    const deps = makeSweepDeps();
    await connected(deps, 0);
    putService(deps, { launchId: 'job' });
    putPod(deps, { launchId: 'job', phase, labels: {} });

    const { findings } = await runSweep(deps);

    expect(findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'AgentExited', outcome: 'ended' }]);
    expect((await deps.launches.get('job'))?.ending).toMatchObject({
      outcome: 'terminated',
      message: "the agent's Pod is gone",
    });
  });

  test('whose Pod is gone ends its launch at the next sweep, whatever its profile, because it cannot have finished', async () => {
    for (const removeExitedAfterSeconds of [undefined, 3600]) {
      const deps = makeSweepDeps();
      await connected(deps, removeExitedAfterSeconds);

      const { findings } = await runSweep(deps);

      expect(findings).toEqual([{ kind: 'Launch', launchId: 'job', reason: 'AgentExited', outcome: 'ended' }]);
      expect((await deps.launches.get('job'))?.ending).toMatchObject({ message: "the agent's Pod is gone" });
    }
  });

  test.each(['Running', 'Pending', 'Unknown', 'Terminating'])('has not exited while its phase is %s', async (phase) => {
    const deps = makeSweepDeps();
    await connected(deps, 0);
    putPod(deps, { launchId: 'job', phase });
    deps.clock.advance(86_400_000);

    const { findings, spared } = await runSweep(deps);

    expect({ findings, spared }).toEqual({ findings: [], spared: {} });
  });

  test('has not exited when its cluster does not answer', async () => {
    const deps = makeSweepDeps();
    await connected(deps, 0);
    const away = () => Promise.reject(new TransientError('ClusterUnreachable', 'connect ECONNREFUSED'));

    await runSweep({ ...deps, openCluster: away });
    deps.clock.advance(86_400_000);
    const report = await runSweep({ ...deps, openCluster: away });

    expect(report).toMatchObject({ complete: false, findings: [], errors: [{ message: /ECONNREFUSED/ }] });
    expect(await deps.launches.get('job')).toMatchObject({ status: 'connected' });
  });
});
