import type { Ending } from '../../../../core/launch/launch-record.ts';
import { CiWorld } from '../../../support/ci-world.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const minuteMs = 60_000;
const given = { runner: 'gitea' as const, labels: ['linux'], idleSeconds: 3600 };
let world: CiWorld;

beforeEach(() => begin(true));

async function begin(rerunWhenLost: boolean): Promise<void> {
  world = new CiWorld([makeProfile({ ...given, rerunWhenLost })]);
  const place = { repository: { owner: 'acme', name: 'app' }, organization: 'acme' };
  await world.deps.jobs.noteRepository('gitea', place, world.nowEpochMs);
}

/** Queues a job of a run, and lets the agent of its launch run it. */
async function runJob(name = 'build'): Promise<{ job: FakeJob; launchId: string }> {
  const job = world.ci.queue({ labels: ['linux'], queuedAtEpochMs: world.nowEpochMs, runId: 40, name });
  return { job, launchId: await runQueued(job) };
}

async function runQueued(job: FakeJob): Promise<string> {
  await world.deliver('queued', job);
  const launch = (await world.launches()).find(({ plan }) => plan?.jobKey?.startsWith(`gitea/7/${job.id}/`));
  if (launch === undefined) throw new Error('nothing was launched');
  await world.connect(launch);
  const runner = (await world.deps.launches.get(launch.launchId))?.runner;
  const running = world.ci.assign(runner?.id ?? 0);
  if (running === undefined) throw new Error('the agent got no job');
  await world.deliver('in_progress', running);
  return launch.launchId;
}

/** Ends a launch as the sweep does. */
async function exit(launchId: string, loss: Pick<Ending, 'isLoss'> = { isLoss: true }): Promise<void> {
  const gone = { outcome: 'terminated', code: 'Terminated', message: "the agent's Pod is gone", by: 'x' } as const;
  await world.deps.launches.end(launchId, { ...gone, ...loss, atEpochMs: world.nowEpochMs });
}

/** How often davit has asked to run a job again. */
const reruns = () => world.ci.asked.filter((what) => what.startsWith('rerunFailed')).length;

describe('a job whose agent was taken by infrastructure', () => {
  test('is run again once its CI system has failed it, and the report counts a repair', async () => {
    const { job, launchId } = await runJob();
    await exit(launchId);

    const early = await world.nextRound();
    world.ci.conclusions.set(job.id, 'failure');
    world.ci.complete(job);
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
    for (const { job } of matrix) {
      world.ci.conclusions.set(job.id, 'failure');
      world.ci.complete(job);
    }

    const { repairs } = await world.nextRound();
    const later = [await world.nextRound(), await world.nextRound()];

    const rerun = repairs.filter(({ repair }) => repair === 'JobRerun').map(({ subject }) => subject);
    expect(rerun).toEqual(matrix.map(({ job }) => `gitea/7/${job.id}/1`));
    expect(later.flatMap((report) => report.repairs).filter(({ repair }) => repair === 'JobRerun')).toEqual([]);
    expect(world.ci.jobs.filter(({ attempt }) => attempt > 1).map(({ name, status }) => [name, status])).toEqual([
      ['test (1)', 'queued'],
      ['test (2)', 'queued'],
      ['test (3)', 'queued'],
    ]);
  });

  test('is not run again when a later attempt of its run is over', async () => {
    const { job, launchId } = await runJob();
    await exit(launchId);
    await world.nextRound();
    world.ci.conclusions.set(job.id, 'failure');
    world.ci.complete(job);
    job.attempt = 2;

    const { repairs } = await world.nextRound();
    await world.nextRound();

    expect(repairs.filter(({ repair }) => repair === 'JobRerun')).toEqual([]);
    expect(world.ci.jobs).toMatchObject([{ attempt: 2, status: 'completed' }]);
    expect(await world.memory.lost.listWaiting('gitea')).toEqual([]);
  });

  test('is run again only once, even when its re-run loses its agent, too', async () => {
    const { job, launchId } = await runJob();
    await exit(launchId);
    await world.nextRound();
    world.ci.conclusions.set(job.id, 'failure');
    world.ci.complete(job);
    await world.nextRound();
    const [again] = world.ci.jobs;
    if (again === undefined) throw new Error('the job was not run again');
    const second = await runQueued(again);
    await exit(second);
    await world.nextRound();
    world.ci.complete(again);

    await world.nextRound();

    expect(world.ci.jobs).toMatchObject([{ id: job.id, status: 'completed', attempt: 2 }]);
  });

  test('is not run again if it succeeded after all', async () => {
    const { job, launchId } = await runJob();
    await exit(launchId);
    await world.nextRound();
    world.ci.complete(job);

    await world.nextRound();
    await world.nextRound();

    expect(world.ci.jobs).toMatchObject([{ status: 'completed', attempt: 1 }]);
    expect(reruns()).toBe(2);
  });

  test('is given up after a day', async () => {
    const { launchId } = await runJob();
    await exit(launchId);
    await world.nextRound();
    world.nowEpochMs += 24 * 60 * minuteMs;

    await world.nextRound();
    const asks = reruns();
    await world.nextRound();

    expect(reruns()).toBe(asks);
    expect(await world.memory.lost.listWaiting('gitea')).toEqual([]);
  });

  test('is not run again unless the profile asks for it', async () => {
    await begin(false);
    const { launchId } = await runJob();
    await exit(launchId);

    await world.nextRound();

    expect(reruns()).toBe(0);
  });

  test('is asked for by one of two reconciles at once, because its re-run may be over when the other one asks', async () => {
    const { job, launchId } = await runJob();
    await exit(launchId);
    await world.nextRound();
    world.ci.conclusions.set(job.id, 'failure');
    world.ci.complete(job);
    const before = reruns();
    const rerunFailed = world.ci.rerunFailed.bind(world.ci);
    world.ci.rerunFailed = async (...args) => {
      world.ci.rerunFailed = rerunFailed;
      await world.reconcile();
      return rerunFailed(...args);
    };

    await world.nextRound();

    expect(reruns() - before).toBe(1);
    expect(world.ci.jobs).toMatchObject([{ id: job.id, status: 'queued', attempt: 2 }]);
  });

  test('is asked for again only once an earlier request without an answer has arrived', async () => {
    const { job, launchId } = await runJob();
    await exit(launchId);
    await world.nextRound();
    world.ci.conclusions.set(job.id, 'failure');
    world.ci.complete(job);
    const rerunFailed = world.ci.rerunFailed.bind(world.ci);
    world.ci.rerunFailed = async () => Promise.reject(new Error('no answer'));
    await world.nextRound();
    world.ci.rerunFailed = rerunFailed;
    const before = reruns();

    await world.nextRound();
    const early = reruns();
    await world.nextRound();
    await world.nextRound();

    expect(early).toBe(before);
    expect(world.ci.jobs).toMatchObject([{ id: job.id, status: 'queued', attempt: 2 }]);
  });

  test('waits while its CI system does not answer, and other repairs continue', async () => {
    const { job, launchId } = await runJob();
    await exit(launchId);
    await world.nextRound();
    world.ci.rerunFailed = async () => Promise.reject(new Error('502'));

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
    const listJobs = world.ci.listJobs.bind(world.ci);
    world.ci.listJobs = async (...args) => {
      const before = await listJobs(...args);
      await exit(launchId);
      return before;
    };

    await world.reconcile();

    expect(await world.memory.lost.listWaiting('gitea')).toEqual([]);
  });

  test('when it runs', async () => {
    await runJob();

    await world.nextRound();

    expect(reruns()).toBe(0);
  });
});
