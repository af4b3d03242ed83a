import { askingShares, mostSentInRound } from '../../../../core/ci/round-shares.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { aroundCalls, refuseCalls } from '../../../support/around-calls.ts';
import { byPerson, LinuxWorld, linuxProfile } from './linux-world.ts';

const hourMs = 3_600_000;
const app = { owner: 'acme', name: 'app' };
let world: LinuxWorld;

beforeEach(() => {
  world = new LinuxWorld([linuxProfile({ idleSeconds: 90_000, rerunWhenLost: true, tellAfterSeconds: 60 })]);
});

const ofRun = { runId: 40, sha: 'c0ffee' };
const launch = () => world.launchFor(ofRun);
const run = () => world.run(ofRun);

/** Removals while davit reads the pages hide a job and a runner. */
function hideFromLists(): void {
  world.ci.listJobs = async () => [];
  world.ci.findRunners = async () => [];
}

/** As GitHub does, lists the jobs of repositories only, not of an organization. */
function listNamedOnly(): void {
  world.ci.listsJobsOf = 'repository';
}

async function rounds(count: number): Promise<string[]> {
  const repairs: string[] = [];
  for (let round = 0; round < count; round += 1) {
    repairs.push(...(await world.repairsIn(1)));
    await world.retire();
  }
  return repairs;
}

/** Lets each round spend so much of a minute's requests on deliveries that it has none for the lists of jobs. */
function leaveNoRoomForJobLists(): void {
  let sent = 0;
  const usage = world.ci.usage.bind(world.ci);
  const limit = { requests: 15_000, left: 14_999, resetsAtEpochMs: world.nowEpochMs + hourMs };
  world.ci.usage = () => ({ ...usage(), limit, sent });
  world.ci.listDeliveries = async () => {
    sent += mostSentInRound * askingShares.jobLists;
    return { attempts: [] };
  };
}

const unavailable = async () => Promise.reject(new TransientError('CiUnavailable', 'gitea: 502'));

describe('what is missing from a list is asked for by its id', () => {
  test('a running agent whose job and runner no list has is not ended', async () => {
    const { launchId } = await run();
    hideFromLists();

    const repairs = await rounds(8);

    expect(repairs).toEqual([]);
    expect((await world.onlyLaunch()).launchId).toBe(launchId);
    expect(world.killed).toEqual([]);
  });

  test.each([
    { what: 'its job', port: { getJob: unavailable } },
    { what: 'its runner', port: { getRunner: unavailable } },
  ])('an agent is not ended while its CI system does not answer for $what', async ({ port }) => {
    const { job } = await run();
    world.ci.complete(job);
    Object.assign(world.ci, port);

    const repairs = await rounds(8);

    expect(repairs).toEqual([]);
    expect(await world.onlyLaunch()).toMatchObject({ status: 'connected' });
  });

  test('an agent whose job runs in a later attempt on another runner is ended: its own attempt is over', async () => {
    const { job, launchId } = await run();
    world.ci.complete(job);
    job.attempt = 2;
    job.status = 'queued';
    delete job.runner;

    const repairs = await rounds(4);

    expect(repairs).toContain('CompletionMissed');
    expect((await world.deps.launches.get(launchId))?.status).toBe('cleaning');
  });

  test.each([
    { what: 'its job', lists: { listJobs: async () => [] } },
    { what: 'its job, of which the CI system says nothing', lists: { listJobs: async () => [], getJob: unavailable } },
    { what: 'its runner', lists: { findRunners: async () => [] } },
  ])('the agent of a queued job is neither retired nor replaced while no list has $what', async ({ lists }) => {
    await launch();
    world.nowEpochMs += 5 * 60_000;
    Object.assign(world.ci, lists);

    expect(await rounds(4)).toEqual([]);
    expect(await world.onlyLaunch()).toMatchObject({ status: 'connected' });
    expect(world.requested).toHaveLength(1);
  });

  test('a job that has run, with its events lost and no room to list it, gets no other agent', async () => {
    const { job, runnerId } = await launch();
    world.ci.assign(runnerId);
    world.ci.complete(job);
    leaveNoRoomForJobLists();

    await rounds(3);

    expect(world.requested).toHaveLength(1);
  });

  test('a new job that the lists and the answer by its id lack, as a late replica gives them, is not over', async () => {
    const { job, launchId } = await launch();
    await world.end(launchId);
    const restoring = [
      aroundCalls(world.ci, 'getJob', async () => undefined),
      aroundCalls(world.ci, 'listJobs', async () => []),
    ];
    await rounds(1);
    for (const restore of restoring) restore();

    expect(await rounds(2)).toContain('ReplacementRequested');
    expect((await world.onlyLaunch()).plan?.jobKey).toBe(`gitea/7/${job.id}/1`);
  });

  test('an agent is retired when its CI system says that the job it was launched for is over', async () => {
    const { job } = await launch();
    hideFromLists();
    job.status = 'cancelled';

    expect(await rounds(3)).toEqual(['SurplusRetired']);
  });

  test('a queued job that no list has gets an agent in place of one that failed', async () => {
    const { launchId } = await launch();
    await world.end(launchId, byPerson);
    hideFromLists();

    expect(await rounds(2)).toContain('ReplacementRequested');
  });

  test('a job whose agent runs it, as only the question by its id says, is bound to the agent', async () => {
    const { job, runnerId } = await launch();
    world.ci.assign(runnerId);
    hideFromLists();

    await rounds(1);

    expect((await world.onlyLaunch()).runs?.jobKey).toBe(`gitea/7/${job.id}/1`);
  });

  test.each([
    { what: 'a list', complete: 'later' },
    { what: 'the question by its id', complete: 'at once' },
  ])(
    'a job of which $what says that it has begun is bound by a later round, if the table does not answer in this one',
    async ({ complete }) => {
      const { job, runnerId } = await launch();
      world.ci.assign(runnerId);
      if (complete === 'at once') world.ci.complete(job);
      const throttled = new TransientError('StoreUnavailable', 'throttled');
      const restore = refuseCalls(world.deps.registrations, 'bind', throttled);
      await rounds(1);
      restore();
      if (complete === 'later') world.ci.complete(job);

      await rounds(1);

      expect((await world.onlyLaunch()).runs?.jobKey).toBe(`gitea/7/${job.id}/1`);
    },
  );

  test('the report on a waiting job is not withdrawn because a list lacks the job', async () => {
    const { job } = await launch();
    world.nowEpochMs += 5 * 60_000;
    await rounds(1);
    const told = [...(await world.memory.told.listPending('gitea')).keys()];
    world.ci.listJobs = async () => [];
    world.ci.getJob = unavailable;
    await rounds(1);

    expect(told).toEqual([`gitea/7/${job.id}/1`]);
    expect([...(await world.memory.told.listPending('gitea')).keys()]).toEqual(told);
  });
});

describe('a repository that has sent no event for more than 25 h', () => {
  test('keeps the agent of its running job', async () => {
    await run();
    listNamedOnly();
    world.nowEpochMs += 26 * hourMs;
    world.ci.findRunners = async () => [];

    expect(await rounds(8)).toEqual([]);
    expect(world.killed).toEqual([]);
  });

  test('stays listed for as long as a job of it runs on an agent', async () => {
    await run();
    await world.repairsIn(30, hourMs);

    expect(await world.deps.jobs.listRepositories('gitea', world.nowEpochMs)).toEqual([
      { repository: app, organization: 'acme' },
    ]);
  });

  test('has its lost job run again', async () => {
    const { job, launchId } = await run();
    listNamedOnly();
    world.nowEpochMs += 26 * hourMs;
    await world.nextRound();
    await world.end(launchId, { ...byPerson, isLoss: true });
    await world.nextRound();
    world.ci.conclusions.set(job.id, 'failure');
    world.ci.complete(job);

    const { repairs } = await world.nextRound();

    expect(repairs).toMatchObject([{ repair: 'JobRerun', subject: `gitea/7/${job.id}/1` }]);
  });

  test('gets an agent for its queued job', async () => {
    const { launchId } = await launch();
    listNamedOnly();
    await world.end(launchId, byPerson);
    world.nowEpochMs += 26 * hourMs;

    expect(await rounds(2)).toContain('ReplacementRequested');
  });
});

test('an index that lacks a new launch makes no second one', async () => {
  await launch();
  const { launches } = world.reconcileDeps;
  launches.list = async () => ({ launches: [], unreadable: [] });

  expect(await rounds(3)).toEqual([]);
  expect(world.requested).toHaveLength(1);
});
