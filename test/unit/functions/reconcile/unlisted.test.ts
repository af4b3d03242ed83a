import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { jobKeyOf } from '../../../../core/job/job-id.ts';
import { afterCalls, beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
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
async function queue(): Promise<FakeJob> {
  world.nowEpochMs += 1000;
  const job = world.ci.queue({ labels: ['linux'], queuedAtEpochMs: world.nowEpochMs });
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
  refuseCalls(world.ci, 'getJob', new TerminalError('CiRefused', 'gitea: 404'));
}

/** Reconciles twice, each minute, with a repository that is hidden. */
async function loseHidden(): Promise<void> {
  hide(waiting);
  await world.rounds(2);
}

const idOf = ({ id: jobId, repositoryId, attempt }: FakeJob) => ({ ciSystem: 'gitea', repositoryId, jobId, attempt });
const recordOf = (job: FakeJob) => world.deps.jobs.get(idOf(job));

async function isLimited(job: FakeJob): Promise<boolean> {
  const record = await recordOf(job);
  return record?.status === 'queued' && record.limitedBy !== undefined;
}

describe('a job that waits for a slot, and that no list has', () => {
  test('keeps its place while its CI system says that it is queued', async () => {
    world.ci.listJobs = async () => [];

    await world.rounds(3);

    expect(await isLimited(waiting)).toBe(true);
  });

  test('loses its place as soon as its CI system says that it is over', async () => {
    cancel(waiting);

    const { repairs } = await world.nextRound();

    const subject = jobKeyOf(idOf(waiting));
    const reason = 'its CI system says that it is over';
    expect(repairs).toEqual([{ ciSystem: 'gitea', repair: 'CompletionMissed', subject, reason }]);
    expect(await recordOf(waiting)).toMatchObject({ status: 'completed' });
    expect((await world.reconcile()).limited).toEqual([]);
  });

  test('keeps its place while its CI system does not say whether it is over', async () => {
    cancel(waiting);
    refuseCalls(world.ci, 'getJob', new TransientError('CiUnavailable', 'gitea: 502'));

    await world.rounds(3);

    expect(await isLimited(waiting)).toBe(true);
  });
});

describe('a job that waits for a slot, and whose repository its CI system hides', () => {
  test('loses its place when two looks agree, and no sooner', async () => {
    hide(waiting);

    const first = await world.nextRound();
    const afterOne = await isLimited(waiting);
    const second = await world.nextRound();

    const subject = jobKeyOf(idOf(waiting));
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
    await loseHidden();
    const [first = ''] = world.requested;
    const ending = { outcome: 'terminated', code: 'Terminated', message: 'done', by: 'a test' } as const;
    await world.deps.launches.end(first, { ...ending, atEpochMs: world.nowEpochMs });
    cancel(holder);
    await world.sweep();

    await world.rounds(2);

    expect(world.requested).toEqual([first]);
  });

  test.each<[when: string, looks: [sees: 'hidden' | 'queued' | 'nothing', afterMs?: number][]]>([
    ['after two looks at the same moment', [['hidden'], ['hidden', 1000]]],
    ['when a look in between found it', [['hidden'], ['queued'], ['hidden']]],
    ['when a look within the same 20 s found it', [['hidden'], ['queued', 5000], ['hidden', 30_000]]],
    ['after an outage', [['hidden'], ['nothing'], ['nothing'], ['nothing'], ['nothing'], ['hidden']]],
    ['when the CI system lists it after all', [['hidden'], ['hidden'], ['queued'], ['queued']]],
  ])('has its place %s', async (_when, looks) => {
    for (const [sees, afterMs] of looks) {
      world.ci.isDown = sees === 'nothing';
      if (sees === 'hidden') hide(waiting);
      if (sees === 'queued') waiting.status = 'queued';
      await world.nextRound(afterMs);
    }

    expect(await isLimited(waiting)).toBe(true);
  });

  test('keeps its place while the CI system hides its organization', async () => {
    refuseCalls(world.ci, 'listJobs', new TerminalError('CiRefused', 'gitea: 403'));

    await world.rounds(2);

    expect(await isLimited(waiting)).toBe(true);
  });

  test('loses its place in the next round if the table does not answer in this one', async () => {
    hide(waiting);
    await world.nextRound();
    const restore = refuseCalls(world.deps.jobs, 'noteLimited', new TransientError('StoreUnavailable', 'slow down'));
    const failed = await world.nextRound();
    restore();

    await world.nextRound();

    expect(failed.complete).toBe(false);
    expect(failed.repairs).toEqual([]);
    expect(await isLimited(waiting)).toBe(false);
  });

  test('gets its place back when its webhook is sent again', async () => {
    await loseHidden();

    await world.deliver('queued', waiting);

    expect(await isLimited(waiting)).toBe(true);
  });
});

test('a job that began to wait after the CI system was asked is not missed in that look', async () => {
  let late: FakeJob | undefined;
  afterCalls(world.ci, 'listJobs', async () => (late ??= await queue()));
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
  beforeCalls(jobs, 'noteLimited', () => jobs.claimLaunch(idOf(waiting), 0, `gitea-7-${waiting.id}-1`, 1));

  await world.nextRound();

  expect((await recordOf(waiting))?.notLaunched).toBeUndefined();
});
