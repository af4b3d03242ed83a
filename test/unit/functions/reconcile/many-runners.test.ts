import { aroundCalls, beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { LinuxWorld } from './linux-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const acme = { organization: 'acme' };
let world: LinuxWorld;

beforeEach(async () => {
  world = await LinuxWorld.open({ idleSeconds: 90_000 });
  world.ci.listsJobsOf = 'repository';
  world.ci.runnersOfPage = 10;
});

/** Has jobs run on agents of their own, in a repository each. */
async function run(count: number): Promise<FakeJob[]> {
  const jobs: FakeJob[] = [];
  for (let index = 0; index < count; index += 1) {
    jobs.push((await world.run({ repository: { owner: 'acme', name: `app-${index}` } })).job);
  }
  // No list of jobs has its turn: what follows is about single jobs.
  world.deps.jobs.listRepositories = async () => [];
  return jobs;
}

/** Has the list of runners say of each whether it is at work. */
function showRunners(isBusy: boolean): void {
  aroundCalls(world.ci, 'runnersOnPage', async (read) => {
    const page = await read();
    return { ...page, runners: page.runners.map((runner) => ({ ...runner, isBusy })) };
  });
}

describe('a list of runners with several pages', () => {
  test.each([
    { what: 'from its beginning after its end', failing: 0, read: [1, 2, 3, 4, 1, 2] },
    { what: 'the same page again after one that failed', failing: 2, read: [1, 2, 2, 3, 4, 1] },
  ])('is read one page a round, and $what', async ({ failing, read }) => {
    await run(35);
    const pages: number[] = [];
    beforeCalls(world.ci, 'runnersOnPage', (_scope, _prefix, page) => {
      pages.push(page);
      if (pages.length === failing) throw new Error('gitea: 502');
    });

    await world.repairsIn(6);

    expect(pages).toEqual(read);
  });

  test('shows a runner without an agent on its last page, which is removed', async () => {
    await run(30);
    const ghost = await world.ci.register(acme, { name: 'davit-0a1b2c3d-gitea-7-1-1', labels: ['linux'] });

    expect(await world.repairsIn(4)).toEqual(['GhostRemoved']);
    expect(world.ci.runners.has(ghost.runner.id)).toBe(false);
  });

  test('says nothing of the runners on its other pages: their agents are not ended, nor their jobs asked for', async () => {
    await run(35);
    world.ci.asked.length = 0;

    expect(await world.repairsIn(4)).toEqual([]);
    expect(world.asked('getJob')).toEqual([]);
    expect(world.killed).toEqual([]);
  });

  test('is read whole where more agents are idle than it has pages', async () => {
    await run(20);
    for (let count = 0; count < 5; count += 1) await world.launchFor();
    world.nowEpochMs += 2 * minuteMs;
    world.ci.asked.length = 0;

    await world.nextRound();

    expect(world.asked('findRunners')).toHaveLength(2);
    expect(world.asked('getRunner')).toEqual([]);
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
    const inOne = world.asked('getJob').length;
    await world.repairsIn(3);

    expect(inOne).toBe(10);
    expect(new Set(world.asked('getJob'))).toEqual(new Set(jobs.map(({ id }) => `getJob ${id}`)));
  });

  test('are not asked for while the list of runners shows theirs at work', async () => {
    await run(5);
    showRunners(true);
    world.nowEpochMs += 2 * hourMs;

    await world.nextRound();

    expect(world.asked('getJob')).toEqual([]);
  });

  test('end their agents when they are over, although no list says so', async () => {
    const jobs = await run(25);
    world.nowEpochMs += 2 * hourMs;
    for (const job of jobs) world.ci.complete(job);
    refuseCalls(world.ci, 'runnersOnPage', new Error('gitea: 502'));

    const repairs: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      repairs.push(...(await world.repairsIn(1)));
      await world.retire();
    }

    expect(repairs).toEqual(jobs.map(() => 'CompletionMissed'));
  });
});

test('a job whose runner a list shows idle is asked for at once', async () => {
  const [job] = await run(1);
  showRunners(false);

  await world.nextRound();

  expect(world.asked('getJob')).toEqual([`getJob ${job?.id}`]);
});

test.each([
  { what: 'without a list of deliveries', deliveries: 0, lists: 40 },
  { what: 'with a list of deliveries', deliveries: 1, lists: 6 },
])('a CI system $what is asked for $lists lists of jobs', async ({ deliveries, lists }) => {
  for (let index = 1; index < 40; index += 1) await world.know(`app-${index}`);
  const arrived = { id: '1', guid: 'arrived', event: 'workflow_job', hasSucceeded: true };
  if (deliveries > 0) world.ci.deliveries.push({ ...arrived, atEpochMs: world.nowEpochMs });
  // Reconciling's share is 1,200 an hour, or 20 a minute, and 100 ahead of time.
  world.ci.rate = { limit: { requests: 4800, left: 4800, resetsAtEpochMs: world.nowEpochMs + hourMs } };

  await world.nextRound();

  expect(world.asked('listJobs')).toHaveLength(lists);
});
