import { CiWorld } from '../../../support/ci-world.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const repositories = Array.from({ length: 60 }, (_, index) => ({ owner: 'acme', name: `app-${index + 100}` }));
let world: CiWorld;

beforeEach(async () => {
  world = new CiWorld([makeProfile({ runner: 'gitea', labels: ['linux'], idleSeconds: 3600 })]);
  world.ci.listsJobsOf = 'repository';
  for (const repository of repositories) {
    await world.deps.jobs.noteRepository('gitea', { repository, organization: 'acme' }, world.nowEpochMs);
  }
});

/** Allows 40 requests in five minutes: a quarter of 1,920 an hour is 8 a minute. */
function limitRate(): void {
  world.ci.rate = { limit: { requests: 1920, left: 1900, resetsAtEpochMs: world.nowEpochMs + 3_600_000 } };
}

const listed = () => world.ci.asked.filter((what) => what.startsWith('listJobs'));

/** Queues a job whose webhook arrives, and whose launch has failed in the meantime. */
async function queueStranded(repository = { owner: 'acme', name: 'app-100' }): Promise<FakeJob> {
  const job = world.ci.queue({ labels: ['linux'], repository, queuedAtEpochMs: world.nowEpochMs });
  await world.deliver('queued', job);
  const ended = { outcome: 'terminated', code: 'Terminated', message: 'by hand', by: 'a person' } as const;
  await world.deps.launches.end(`gitea-7-${job.id}-1`, { ...ended, atEpochMs: world.nowEpochMs });
  return job;
}

test('repositories take turns within the budget, and each has its turn', async () => {
  limitRate();
  for (let minute = 0; minute < 15; minute += 1) await world.nextRound();

  expect(new Set(listed()).size).toBe(repositories.length);
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
  const repository = { owner: 'acme', name: 'app-159' };
  world.ci.queue({ labels: ['linux'], repository, queuedAtEpochMs: world.nowEpochMs });

  for (let minute = 0; minute < 25; minute += 1) await world.nextRound();

  expect(world.requested).toHaveLength(1);
});

test('jobs in doubt are asked for in turns, and each gets an agent in place of one that failed', async () => {
  const jobs = [];
  for (let count = 0; count < 30; count += 1) jobs.push(await queueStranded());
  limitRate();
  world.ci.listJobs = async () => [];
  world.nowEpochMs += 10 * 60_000;

  for (let minute = 0; minute < 15; minute += 1) await world.nextRound();

  expect(world.requested.filter((launchId) => launchId.endsWith('-x1'))).toHaveLength(jobs.length);
});

test('one list that fails voids nothing: the others are acted upon', async () => {
  const listJobs = world.ci.listJobs.bind(world.ci);
  world.ci.listJobs = async (scope, statuses) => {
    if ('repository' in scope && scope.repository.name === 'app-101') throw new Error('gitea: 502');
    return listJobs(scope, statuses);
  };
  const repository = { owner: 'acme', name: 'app-102' };
  world.ci.queue({ labels: ['linux'], repository, queuedAtEpochMs: world.nowEpochMs });

  await world.nextRound();
  const { complete, repairs } = await world.nextRound();

  expect([complete, repairs.map(({ repair }) => repair)]).toEqual([false, ['LaunchRequested']]);
});

test('a round has time for the repairs although the lists are slow', async () => {
  const job = await queueStranded();
  const listJobs = world.ci.listJobs.bind(world.ci);
  world.ci.listJobs = async (...given) => {
    world.nowEpochMs += 1000;
    return listJobs(...given);
  };

  await world.nextRound();
  await world.nextRound();

  expect(new Set(listed()).size).toBeGreaterThan(20);
  expect(world.requested).toContain(`gitea-7-${job.id}-1-x1`);
});
