import type { Ending } from '../../../../core/launch/launch-record.ts';
import { afterCalls, beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { LinuxWorld } from './linux-world.ts';

const minuteMs = 60_000;
let world: LinuxWorld;

beforeEach(async () => {
  world = await LinuxWorld.open({ idleSeconds: 3600, rerunWhenLost: true });
});

/** Queues a job of a run, and lets the agent of its launch run it. */
const runJob = (name = 'build') => world.run({ runId: 40, name });

/** Ends a launch as the sweep does. */
async function exit(launchId: string, loss: Pick<Ending, 'isLoss'> = { isLoss: true }): Promise<void> {
  const gone = { outcome: 'terminated', code: 'Terminated', message: "the agent's Pod is gone", by: 'x' } as const;
  await world.end(launchId, { ...gone, ...loss });
}

/** Runs a job whose agent is taken, as a round sees. */
async function loseJob(): Promise<{ job: FakeJob; launchId: string }> {
  const lost = await runJob();
  await exit(lost.launchId);
  await world.nextRound();
  return lost;
}

/** Lets the CI system fail a job. */
function fail(job: FakeJob): void {
  world.ci.conclusions.set(job.id, 'failure');
  world.ci.complete(job);
}

/** How often davit has asked to run a job again. */
const reruns = () => world.asked('rerunFailed').length;

describe('a job whose agent was taken by infrastructure', () => {
  test('is run again once its CI system has failed it, and the report counts a repair', async () => {
    const { job, launchId } = await runJob();
    await exit(launchId);

    const early = await world.nextRound();
    fail(job);
    const { repairs } = await world.nextRound();
    const later = await world.nextRound();

    expect(early.repairs).toEqual([]);
    expect(repairs).toEqual([
      { ciSystem: 'gitea', repair: 'JobRerun', subject: `gitea/7/${job.id}/1`, reason: "the agent's Pod is gone" },
    ]);
    expect(later.repairs).not.toContainEqual(expect.objectContaining({ repair: 'JobRerun' }));
    expect(world.ci.jobs).toMatchObject([{ id: job.id, status: 'queued', attempt: 2 }]);
  });

  test('is run again together with the others of its run that a node took, each once, and no other job is', async () => {
    const matrix = [await runJob('test (1)'), await runJob('test (2)'), await runJob('test (3)')];
    const fine = await runJob('lint');
    for (const { launchId } of matrix) await exit(launchId);
    await world.nextRound();
    world.ci.complete(fine.job);
    for (const { job } of matrix) fail(job);

    const { repairs } = await world.nextRound();
    const later = await world.repairsIn(2);

    const rerun = repairs.filter(({ repair }) => repair === 'JobRerun').map(({ subject }) => subject);
    expect(rerun).toEqual(matrix.map(({ job }) => `gitea/7/${job.id}/1`));
    expect(later).not.toContain('JobRerun');
    expect(world.ci.jobs.filter(({ attempt }) => attempt > 1).map(({ name, status }) => [name, status])).toEqual([
      ['test (1)', 'queued'],
      ['test (2)', 'queued'],
      ['test (3)', 'queued'],
    ]);
  });

  test('is not run again when a later attempt of its run is over', async () => {
    const { job } = await loseJob();
    fail(job);
    job.attempt = 2;

    const repairs = await world.repairsIn(2);

    expect(repairs).not.toContain('JobRerun');
    expect(world.ci.jobs).toMatchObject([{ attempt: 2, status: 'completed' }]);
    expect(await world.memory.lost.listWaiting('gitea')).toEqual([]);
  });

  test('is run again only once, even when its re-run loses its agent, too', async () => {
    const { job } = await loseJob();
    fail(job);
    await world.nextRound();
    const [again] = world.ci.jobs;
    if (again === undefined) throw new Error('the job was not run again');
    await world.deliver('queued', again);
    const [launch] = await world.connectAll();
    await world.start(launch?.runner?.id);
    await exit(launch?.launchId ?? '');
    await world.nextRound();
    world.ci.complete(again);

    await world.nextRound();

    expect(world.ci.jobs).toMatchObject([{ id: job.id, status: 'completed', attempt: 2 }]);
  });

  test('is not run again if it succeeded after all', async () => {
    const { job } = await loseJob();
    world.ci.complete(job);

    await world.repairsIn(2);

    expect(world.ci.jobs).toMatchObject([{ status: 'completed', attempt: 1 }]);
    expect(reruns()).toBe(2);
  });

  test('is given up after a day', async () => {
    await loseJob();
    world.nowEpochMs += 24 * 60 * minuteMs;

    await world.nextRound();
    const asks = reruns();
    await world.nextRound();

    expect(reruns()).toBe(asks);
    expect(await world.memory.lost.listWaiting('gitea')).toEqual([]);
  });

  test('is asked for by one of two reconciles at once, because its re-run may be over when the other one asks', async () => {
    const { job } = await loseJob();
    fail(job);
    const before = reruns();
    const restore = beforeCalls(world.ci, 'rerunFailed', async () => {
      restore();
      await world.reconcile();
    });

    await world.nextRound();

    expect(reruns() - before).toBe(1);
    expect(world.ci.jobs).toMatchObject([{ id: job.id, status: 'queued', attempt: 2 }]);
  });

  test('is asked for again only once an earlier request without an answer has arrived', async () => {
    const { job } = await loseJob();
    fail(job);
    const restore = refuseCalls(world.ci, 'rerunFailed', new Error('no answer'));
    await world.nextRound();
    restore();
    const before = reruns();

    await world.nextRound();
    const early = reruns();
    await world.repairsIn(2);

    expect(early).toBe(before);
    expect(world.ci.jobs).toMatchObject([{ id: job.id, status: 'queued', attempt: 2 }]);
  });

  test('waits while its CI system does not answer, and other repairs continue', async () => {
    const { job } = await loseJob();
    refuseCalls(world.ci, 'rerunFailed', new Error('502'));

    const report = await world.nextRound();

    expect(report.errors).toEqual([{ subject: `lost job gitea/7/${job.id}/1`, message: '502' }]);
    expect(await world.memory.lost.listWaiting('gitea')).toHaveLength(1);
  });
});

describe('a job does not count as lost', () => {
  test('when its agent exited by itself', async () => {
    const { launchId } = await runJob();
    await exit(launchId, {});

    await world.nextRound();

    expect(reruns()).toBe(0);
  });

  test('when an older list shows it as running, because it may have ended before its agent was gone', async () => {
    const { launchId } = await runJob();
    world.nowEpochMs += minuteMs;
    afterCalls(world.ci, 'listJobs', async () => exit(launchId));

    await world.reconcile();

    expect(await world.memory.lost.listWaiting('gitea')).toEqual([]);
  });
});
