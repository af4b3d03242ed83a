import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { jobKeyOf } from '../../../../core/job/job-id.ts';
import { CiWorld } from '../../../support/ci-world.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { makeProfile } from '../../../support/make-profile.ts';

let world: CiWorld;
/** Holds the only slot. */
let holder: FakeJob;
/** Waits for it. */
let waiting: FakeJob;

beforeEach(async () => {
  world = new CiWorld([makeProfile({ runner: 'gitea', labels: ['linux'], maxAgents: 1 })]);
  holder = await queue();
  waiting = await queue();
});

/** Queues a job, and delivers its webhook. */
async function queue(repository = { owner: 'acme', name: 'app' }): Promise<FakeJob> {
  world.nowEpochMs += 1000;
  const repositoryId = repository.name.length;
  const job = world.ci.queue({ labels: ['linux'], repository, repositoryId, queuedAtEpochMs: world.nowEpochMs });
  await world.deliver('queued', job);
  return job;
}

/** Cancels a job, whose webhook is lost. */
function cancel(job: FakeJob): void {
  job.status = 'cancelled';
}

/** Hides a job's repository: no list has the job, and questions for it are refused. */
function hide(job: FakeJob): void {
  job.status = 'waiting';
  world.ci.getJob = async () => {
    throw new TerminalError('CiRefused', 'gitea: 404');
  };
}

async function recordOf({ id: jobId, repositoryId, attempt }: FakeJob) {
  return world.deps.jobs.get({ ciSystem: 'gitea', repositoryId, jobId, attempt });
}

async function isLimited(job: FakeJob): Promise<boolean> {
  const record = await recordOf(job);
  return record?.status === 'queued' && record.limitedBy !== undefined;
}

describe('a job that waits for a slot, and that no list has', () => {
  test('keeps its place while its CI system says that it is queued', async () => {
    world.ci.listJobs = async () => [];

    for (let minute = 0; minute < 3; minute += 1) await world.nextRound();

    expect(await isLimited(waiting)).toBe(true);
  });

  test('loses its place as soon as its CI system says that it is over', async () => {
    cancel(waiting);

    const { repairs } = await world.nextRound();

    const subject = jobKeyOf({ ciSystem: 'gitea', repositoryId: 3, jobId: waiting.id, attempt: 1 });
    const reason = 'its CI system says that it is over';
    expect(repairs).toEqual([{ ciSystem: 'gitea', repair: 'CompletionMissed', subject, reason }]);
    expect(await recordOf(waiting)).toMatchObject({ status: 'completed' });
    expect((await world.reconcile()).limited).toEqual([]);
  });

  test('keeps its place while its CI system does not say whether it is over', async () => {
    cancel(waiting);
    world.ci.getJob = async () => {
      throw new TransientError('CiUnavailable', 'gitea: 502');
    };

    for (let minute = 0; minute < 3; minute += 1) await world.nextRound();

    expect(await isLimited(waiting)).toBe(true);
  });
});

describe('a job that waits for a slot, and whose repository its CI system hides', () => {
  test('loses its place when two looks agree, and no sooner', async () => {
    hide(waiting);

    const first = await world.nextRound();
    const afterOne = await isLimited(waiting);
    const second = await world.nextRound();

    const subject = jobKeyOf({ ciSystem: 'gitea', repositoryId: 3, jobId: waiting.id, attempt: 1 });
    expect(first.repairs).toEqual([]);
    expect(afterOne).toBe(true);
    expect(second.repairs).toMatchObject([{ ciSystem: 'gitea', repair: 'CompletionMissed', subject }]);
    expect(await recordOf(waiting)).toMatchObject({
      status: 'queued',
      notLaunched: 'its CI system showed no such repository in two looks: it was deleted, or is hidden',
    });
    expect(await isLimited(waiting)).toBe(false);
    expect((await world.reconcile()).limited).toEqual([]);
  });

  test('gets no agent when the slot is free', async () => {
    hide(waiting);
    await world.nextRound();
    await world.nextRound();
    const [first = ''] = world.requested;
    const ending = { outcome: 'terminated', code: 'Terminated', message: 'done', by: 'a test' } as const;
    await world.deps.launches.end(first, { ...ending, atEpochMs: world.nowEpochMs });
    cancel(holder);
    await world.sweep();

    await world.nextRound();
    await world.nextRound();

    expect(world.requested).toEqual([first]);
  });

  test('keeps its place for two looks at the same moment', async () => {
    hide(waiting);
    await world.nextRound();

    await world.nextRound(1000);

    expect(await isLimited(waiting)).toBe(true);
  });

  test('keeps its place when a look in between found it', async () => {
    hide(waiting);
    await world.nextRound();
    waiting.status = 'queued';
    await world.nextRound();
    hide(waiting);

    await world.nextRound();

    expect(await isLimited(waiting)).toBe(true);
  });

  test('keeps its place when a look within the same 20 s found it', async () => {
    hide(waiting);
    await world.nextRound();
    waiting.status = 'queued';
    await world.nextRound(5000);
    hide(waiting);

    await world.nextRound(30_000);

    expect(await isLimited(waiting)).toBe(true);
  });

  test('keeps its place while the CI system does not answer', async () => {
    hide(waiting);
    await world.nextRound();
    world.ci.isDown = true;
    for (let minute = 0; minute < 4; minute += 1) await world.nextRound();
    world.ci.isDown = false;

    await world.nextRound();

    expect(await isLimited(waiting)).toBe(true);
  });

  test('keeps its place while the CI system hides its organization', async () => {
    world.ci.listJobs = async () => {
      throw new TerminalError('CiRefused', 'gitea: 403');
    };

    await world.nextRound();
    await world.nextRound();

    expect(await isLimited(waiting)).toBe(true);
  });

  test('loses its place in the next round if the table does not answer in this one', async () => {
    hide(waiting);
    await world.nextRound();
    const { jobs } = world.deps;
    const noteLimited = jobs.noteLimited.bind(jobs);
    jobs.noteLimited = async () => {
      throw new TransientError('StoreUnavailable', 'DynamoDB: slow down');
    };
    const failed = await world.nextRound();
    jobs.noteLimited = noteLimited;

    await world.nextRound();

    expect(failed.complete).toBe(false);
    expect(failed.repairs).toEqual([]);
    expect(await isLimited(waiting)).toBe(false);
  });

  test('gets its place back when the CI system lists it after all', async () => {
    hide(waiting);
    await world.nextRound();
    await world.nextRound();
    waiting.status = 'queued';

    await world.nextRound();
    await world.nextRound();

    expect(await isLimited(waiting)).toBe(true);
  });

  test('gets its place back when its webhook is sent again', async () => {
    hide(waiting);
    await world.nextRound();
    await world.nextRound();

    await world.deliver('queued', waiting);

    expect(await isLimited(waiting)).toBe(true);
  });
});

test('a job that began to wait after the CI system was asked is not missed in that look', async () => {
  const { ci } = world;
  const listJobs = ci.listJobs.bind(ci);
  let late: FakeJob | undefined;
  ci.listJobs = async (...asked) => {
    const listed = await listJobs(...asked);
    late ??= await queue();
    return listed;
  };
  await world.nextRound();
  if (late === undefined) throw new Error('it was queued');
  hide(late);

  await world.nextRound();

  expect(await isLimited(late)).toBe(true);
});

test('a job keeps its place that got a launch while it lost it', async () => {
  hide(waiting);
  await world.nextRound();
  const { jobs } = world.deps;
  const noteLimited = jobs.noteLimited.bind(jobs);
  jobs.noteLimited = async (job, ...given) => {
    const launchId = `gitea-3-${waiting.id}-1`;
    await jobs.claimLaunch({ ciSystem: 'gitea', repositoryId: 3, jobId: waiting.id, attempt: 1 }, 0, launchId, 1);
    await noteLimited(job, ...given);
  };

  await world.nextRound();

  expect((await recordOf(waiting))?.notLaunched).toBeUndefined();
});
