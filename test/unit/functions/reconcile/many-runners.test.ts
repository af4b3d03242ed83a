import { CiWorld } from '../../../support/ci-world.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const acme = { organization: 'acme' };
let world: CiWorld;

beforeEach(async () => {
  world = new CiWorld([makeProfile({ runner: 'gitea', labels: ['linux'], idleSeconds: 90_000 })]);
  world.ci.listsJobsOf = 'repository';
  world.ci.runnersOfPage = 10;
  const place = { repository: { owner: 'acme', name: 'app' }, organization: 'acme' };
  await world.deps.jobs.noteRepository('gitea', place, world.nowEpochMs);
});

/** Has jobs run on agents of their own, in a repository each. */
async function run(count: number): Promise<FakeJob[]> {
  const jobs: FakeJob[] = [];
  for (let index = 0; index < count; index += 1) {
    const repository = { owner: 'acme', name: `app-${index}` };
    const job = world.ci.queue({ labels: ['linux'], repository, queuedAtEpochMs: world.nowEpochMs });
    await world.deliver('queued', job);
    const launch = await world.deps.launches.get(`gitea-7-${job.id}-1`);
    if (launch !== undefined) await world.connect(launch);
    const agent = await world.deps.launches.get(`gitea-7-${job.id}-1`);
    world.ci.assign(agent?.runner?.id ?? 0);
    await world.deliver('in_progress', job);
    jobs.push(job);
  }
  // No list of jobs has its turn: what follows is about single jobs.
  world.deps.jobs.listRepositories = async () => [];
  return jobs;
}

const askedFor = (what: string) => world.ci.asked.filter((each) => each.startsWith(what));

describe('a list of runners with several pages', () => {
  test('is read one page a round, and from its beginning after its end', async () => {
    await run(35);
    const pages: number[] = [];
    const runnersOnPage = world.ci.runnersOnPage.bind(world.ci);
    world.ci.runnersOnPage = async (scope, prefix, page) => {
      pages.push(page);
      return runnersOnPage(scope, prefix, page);
    };

    for (let round = 0; round < 6; round += 1) await world.nextRound();

    expect(pages).toEqual([1, 2, 3, 4, 1, 2]);
  });

  test('goes on with the same page after one that failed', async () => {
    await run(35);
    const pages: number[] = [];
    const runnersOnPage = world.ci.runnersOnPage.bind(world.ci);
    world.ci.runnersOnPage = async (scope, prefix, page) => {
      pages.push(page);
      if (pages.length === 2) throw new Error('gitea: 502');
      return runnersOnPage(scope, prefix, page);
    };

    for (let round = 0; round < 4; round += 1) await world.nextRound();

    expect(pages).toEqual([1, 2, 2, 3]);
  });

  test('shows a runner without an agent on its last page, which is removed', async () => {
    await run(30);
    const ghost = await world.ci.register(acme, { name: 'davit-0a1b2c3d-gitea-7-1-1', labels: ['linux'] });
    const repairs: string[] = [];

    for (let round = 0; round < 4; round += 1)
      repairs.push(...(await world.nextRound()).repairs.map(({ repair }) => repair));

    expect(repairs).toEqual(['GhostRemoved']);
    expect(world.ci.runners.has(ghost.runner.id)).toBe(false);
  });

  test('says nothing of the runners on its other pages: their agents are not ended, nor their jobs asked for', async () => {
    await run(35);
    world.ci.asked.length = 0;

    const repairs = [];
    for (let round = 0; round < 4; round += 1) repairs.push(...(await world.nextRound()).repairs);

    expect(repairs).toEqual([]);
    expect(askedFor('getJob')).toEqual([]);
    expect(world.killed).toEqual([]);
  });

  test('is read whole where more agents are idle than it has pages', async () => {
    await run(20);
    for (let count = 0; count < 5; count += 1) {
      const job = world.ci.queue({ labels: ['linux'], queuedAtEpochMs: world.nowEpochMs });
      await world.deliver('queued', job);
      const launch = await world.deps.launches.get(`gitea-7-${job.id}-1`);
      if (launch !== undefined) await world.connect(launch);
    }
    world.nowEpochMs += 2 * minuteMs;
    world.ci.asked.length = 0;

    await world.nextRound();

    expect(askedFor('findRunners')).toHaveLength(2);
    expect(askedFor('getRunner')).toEqual([]);
  });
});

describe('jobs that run for longer than usual', () => {
  test('are asked for in turns: each within two hours, ten in a round', async () => {
    const jobs = await run(40);
    await world.nextRound();
    world.nowEpochMs += 2 * hourMs;
    // The round after a long pause asks for all of them.
    await world.nextRound();
    world.ci.asked.length = 0;

    await world.nextRound();
    const inOne = askedFor('getJob').length;
    for (let round = 0; round < 3; round += 1) await world.nextRound();

    expect(inOne).toBe(10);
    expect(new Set(askedFor('getJob'))).toEqual(new Set(jobs.map(({ id }) => `getJob ${id}`)));
  });

  test('are not asked for while the list of runners shows theirs at work', async () => {
    await run(5);
    const runnersOnPage = world.ci.runnersOnPage.bind(world.ci);
    world.ci.runnersOnPage = async (...given) => {
      const read = await runnersOnPage(...given);
      return { ...read, runners: read.runners.map((runner) => ({ ...runner, isBusy: true })) };
    };
    world.nowEpochMs += 2 * hourMs;

    await world.nextRound();

    expect(askedFor('getJob')).toEqual([]);
  });

  test('end their agents when they are over, although no list says so', async () => {
    const jobs = await run(25);
    world.nowEpochMs += 2 * hourMs;
    for (const job of jobs) world.ci.complete(job);
    world.ci.runnersOnPage = async () => Promise.reject(new Error('gitea: 502'));

    const repairs: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      repairs.push(...(await world.nextRound()).repairs.map(({ repair }) => repair));
      await world.retire();
    }

    expect(repairs).toEqual(jobs.map(() => 'CompletionMissed'));
  });
});

test('a job whose runner a list shows idle is asked for at once', async () => {
  const [job] = await run(1);
  const runnersOnPage = world.ci.runnersOnPage.bind(world.ci);
  world.ci.runnersOnPage = async (...given) => {
    const read = await runnersOnPage(...given);
    return { ...read, runners: read.runners.map((runner) => ({ ...runner, isBusy: false })) };
  };

  await world.nextRound();

  expect(askedFor('getJob')).toEqual([`getJob ${job?.id}`]);
});

test.each([
  { what: 'without a list of deliveries', lists: 40 },
  { what: 'with a list of deliveries', lists: 6 },
])('a CI system $what is asked for $lists lists of jobs', async ({ what, lists }) => {
  for (let index = 1; index < 40; index += 1) {
    const place = { repository: { owner: 'acme', name: `app-${index}` }, organization: 'acme' };
    await world.deps.jobs.noteRepository('gitea', place, world.nowEpochMs);
  }
  if (what.startsWith('with a')) {
    world.ci.deliveries.push({
      id: '1',
      guid: 'arrived',
      event: 'workflow_job',
      hasSucceeded: true,
      atEpochMs: world.nowEpochMs,
    });
  }
  // Reconciling's share is 1,200 an hour, or 20 a minute, and 100 ahead of time.
  world.ci.rate = { limit: { requests: 4800, left: 4800, resetsAtEpochMs: world.nowEpochMs + hourMs } };

  await world.nextRound();

  expect(askedFor('listJobs')).toHaveLength(lists);
});
