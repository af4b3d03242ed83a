import { beforeEach, describe, expect, test } from 'vitest';
import { TerminalError, TransientError } from '../../../../functions/domain/errors.ts';
import { jobKeyOf } from '../../../../functions/domain/job-record.ts';
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

/** Removes a job from the CI system, whose webhook is lost. */
function cancel(job: FakeJob): void {
  job.status = 'cancelled';
}

async function recordOf({ id: jobId, repositoryId, attempt }: FakeJob) {
  return world.deps.jobs.get({ ciSystem: 'gitea', repositoryId, jobId, attempt });
}

async function isLimited(job: FakeJob): Promise<boolean> {
  return (await recordOf(job))?.limitedBy !== undefined;
}

describe('a job that waits for a slot, and that its CI system lists no more', () => {
  test('loses its place when two looks agree, and no sooner', async () => {
    cancel(waiting);

    const first = await world.nextRound();
    const afterOne = await isLimited(waiting);
    const second = await world.nextRound();

    const subject = jobKeyOf({ ciSystem: 'gitea', repositoryId: 3, jobId: waiting.id, attempt: 1 });
    expect(first.repairs).toEqual([]);
    expect(afterOne).toBe(true);
    expect(second.repairs).toMatchObject([{ ciSystem: 'gitea', repair: 'CompletionMissed', subject }]);
    expect(await recordOf(waiting)).toMatchObject({
      status: 'queued',
      notLaunched: 'two looks at its CI system did not find it: it is over, or hidden',
    });
    expect(await isLimited(waiting)).toBe(false);
    expect((await world.reconcile()).limited).toEqual([]);
  });

  test('gets no agent when the slot is free', async () => {
    cancel(waiting);
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
    cancel(waiting);
    await world.nextRound();

    await world.nextRound(1000);

    expect(await isLimited(waiting)).toBe(true);
  });

  test('keeps its place when a look in between found it', async () => {
    cancel(waiting);
    await world.nextRound();
    waiting.status = 'queued';
    await world.nextRound();
    cancel(waiting);

    await world.nextRound();

    expect(await isLimited(waiting)).toBe(true);
  });

  test('keeps its place when a look within the same 20 s found it', async () => {
    cancel(waiting);
    await world.nextRound();
    waiting.status = 'queued';
    await world.nextRound(5000);
    cancel(waiting);

    await world.nextRound(30_000);

    expect(await isLimited(waiting)).toBe(true);
  });

  test('keeps its place while the CI system does not answer', async () => {
    cancel(waiting);
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

  test('keeps its place while nobody asks for its repository', async () => {
    cancel(waiting);
    world.deps.jobs.listPlaces = async () => [{ repository: { owner: 'acme', name: 'other' }, organization: 'acme' }];

    await world.nextRound();
    await world.nextRound();

    expect(await isLimited(waiting)).toBe(true);
  });

  test('loses its place in the next round if the table does not answer in this one', async () => {
    cancel(waiting);
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
    cancel(waiting);
    await world.nextRound();
    await world.nextRound();
    waiting.status = 'queued';

    await world.nextRound();
    await world.nextRound();

    expect(await isLimited(waiting)).toBe(true);
  });

  test('gets its place back when its webhook is sent again', async () => {
    cancel(waiting);
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
  cancel(late);

  await world.nextRound();

  expect(await isLimited(late)).toBe(true);
});

test('a job keeps its place that got a launch while it lost it', async () => {
  cancel(waiting);
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
