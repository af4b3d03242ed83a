import { beforeCalls } from '../../../support/around-calls.ts';
import { byPerson, LinuxWorld, linuxProfile } from './linux-world.ts';

const repositories = Array.from({ length: 60 }, (_, index) => ({ owner: 'acme', name: `app-${index + 100}` }));
let world: LinuxWorld;

beforeEach(async () => {
  world = new LinuxWorld([linuxProfile({ idleSeconds: 3600 })]);
  world.ci.listsJobsOf = 'repository';
  for (const { name } of repositories) await world.know(name);
});

/** Allows 40 requests in five minutes: a quarter of 1,920 an hour is 8 a minute. */
function limitRate(): void {
  world.ci.rate = { limit: { requests: 1920, left: 1900, resetsAtEpochMs: world.nowEpochMs + 3_600_000 } };
}

/** Queues a job whose webhook arrives, and whose launch has failed in the meantime. @returns the id of its launch */
async function queueStranded(): Promise<string> {
  const { id } = await world.queue({ repository: { owner: 'acme', name: 'app-100' } });
  await world.end(`gitea-7-${id}-1`, byPerson);
  return `gitea-7-${id}-1`;
}

test('repositories take turns within the budget, and each has its turn', async () => {
  limitRate();
  await world.repairsIn(15);

  expect(new Set(world.asked('listJobs')).size).toBe(repositories.length);
  expect(world.ci.asked.length).toBeLessThanOrEqual(40 + 15 * 10);
});

test('each round notes at which pace repositories have their turns', async () => {
  await world.nextRound();
  const whole = (await world.memory.cursors.get('gitea'))?.turn;
  limitRate();
  await world.nextRound();
  const limited = (await world.memory.cursors.get('gitea'))?.turn;

  expect(whole).toEqual({ scopes: 60, listed: 60 });
  expect(limited).toMatchObject({ scopes: 60 });
  expect(limited?.listed).toBeLessThan(60);
});

test('a lost queued event is made up for when its repository has its turn', async () => {
  limitRate();
  await world.nextRound();
  world.queueUnseen({ repository: { owner: 'acme', name: 'app-159' } });

  await world.repairsIn(25);

  expect(world.requested).toHaveLength(1);
});

test('jobs in doubt are asked for in turns, and each gets an agent in place of one that failed', async () => {
  for (let count = 0; count < 30; count += 1) await queueStranded();
  limitRate();
  world.ci.listJobs = async () => [];
  world.nowEpochMs += 10 * 60_000;

  await world.repairsIn(15);

  expect(world.requested.filter((launchId) => launchId.endsWith('-x1'))).toHaveLength(30);
});

test('one list that fails voids nothing: the others are acted upon', async () => {
  beforeCalls(world.ci, 'listJobs', (scope) => {
    if ('repository' in scope && scope.repository.name === 'app-101') throw new Error('gitea: 502');
  });
  world.queueUnseen({ repository: { owner: 'acme', name: 'app-102' } });

  await world.nextRound();
  const { complete, repairs } = await world.nextRound();

  expect([complete, repairs.map(({ repair }) => repair)]).toEqual([false, ['LaunchRequested']]);
});

test('a round has time for the repairs although the lists are slow', async () => {
  const launchId = await queueStranded();
  beforeCalls(world.ci, 'listJobs', () => (world.nowEpochMs += 1000));

  await world.repairsIn(2);

  expect(new Set(world.asked('listJobs')).size).toBeGreaterThan(20);
  expect(world.requested).toContain(`${launchId}-x1`);
});
