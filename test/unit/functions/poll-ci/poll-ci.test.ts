import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { type PollCiDeps, pollCi } from '../../../../functions/poll-ci/poll-ci.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqlitePollCursors } from '../../../../local/store/sqlite-ci-memory.ts';
import type { JobQueue } from '../../../../ports/job-queue.ts';
import { FakeCi } from '../../../support/fake-ci.ts';
import { makeLaunchDeps } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const secrets = { webhookSecret: 'hook', tokenSecret: 'token' };
const jenkins = { provider: 'jenkins', url: 'https://jenkins.example', user: 'davit', ...secrets };
const ciSystems = [
  CiSystemConfig.parse({ ...jenkins, name: 'one' }),
  CiSystemConfig.parse({ ...jenkins, name: 'two', pollSeconds: 20 }),
  CiSystemConfig.parse({ name: 'gitea', provider: 'gitea', url: 'https://gitea.example', ...secrets }),
];
let nowEpochMs: number;
let listings: { name: string; atMs: number }[];
/** The jobs that were asked for by their ids. */
let asked: string[];
let away: Set<string>;

beforeEach(() => {
  nowEpochMs = 0;
  listings = [];
  asked = [];
  away = new Set();
});

/** Sleeps in virtual time: the next to wake up moves the clock. */
function virtualSleep() {
  const sleepers: { atEpochMs: number; wake: () => void }[] = [];
  return async (ms: number) => {
    await new Promise<void>((wake) => {
      sleepers.push({ atEpochMs: nowEpochMs + ms, wake });
      setTimeout(() => {
        sleepers.sort((a, b) => a.atEpochMs - b.atEpochMs);
        const next = sleepers.shift();
        nowEpochMs = Math.max(nowEpochMs, next?.atEpochMs ?? 0);
        next?.wake();
      }, 1);
    });
  };
}

function deps(): PollCiDeps {
  const ci = new FakeCi();
  return {
    ...makeLaunchDeps({ ciSystems, nowEpochMs: () => nowEpochMs }),
    ciSystems,
    ciSystemOf: (name) => ({
      settleMs: 0,
      listJobs: async () => {
        listings.push({ name, atMs: nowEpochMs });
        if (away.has(name)) throw new TransientError('CiUnavailable', `${name} is away`);
        return [];
      },
      findRunners: (...given) => ci.findRunners(...given),
      getJob: (repository, jobId) => ci.getJob(repository, Number(jobId)),
      stopAssigning: (...given) => ci.stopAssigning(...given),
      removeIfIdle: (scope, runnerId) => ci.removeIfIdle(scope, runnerId),
      findJob: async ({ repositoryId, jobId }) => {
        asked.push(`${name} ${repositoryId}/${jobId}`);
        if (away.has(name)) throw new TransientError('CiUnavailable', `${name} is away`);
        return undefined;
      },
    }),
    cursors: sqlitePollCursors(openStore(':memory:')),
    queueHolder: 'test',
    sleep: virtualSleep(),
    totalMs: 58_000,
  };
}

const timesOf = (name: string) => listings.filter((each) => each.name === name).map(({ atMs }) => atMs);

test('a scheduled run polls each system that is polled, at its own pace, until the next run', async () => {
  const report = await pollCi(deps(), {});

  expect(timesOf('two')).toEqual([0, 20_000, 40_000]);
  expect(timesOf('one')).toHaveLength(29);
  expect(Math.max(...timesOf('one'))).toBe(56_000);
  expect(timesOf('gitea')).toEqual([]);
  expect(report).toEqual({ polls: 32, failed: 0, queued: 0, errors: [] });
});

test('a request polls its system once', async () => {
  expect(await pollCi(deps(), { ciSystem: 'two' })).toEqual({ polls: 1, failed: 0, queued: 0, errors: [] });
  expect(listings).toEqual([{ name: 'two', atMs: 0 }]);
});

test('a request polls when its turn comes, and never waits longer than for one turn', async () => {
  await pollCi(deps(), { ciSystem: 'two', atEpochMs: nowEpochMs + 1500 });
  await pollCi(deps(), { ciSystem: 'one', atEpochMs: nowEpochMs + 3_600_000 });
  await pollCi(deps(), { ciSystem: 'one', atEpochMs: nowEpochMs - 1000 });

  expect(listings).toEqual([
    { name: 'two', atMs: 1500 },
    { name: 'one', atMs: 3500 },
    { name: 'one', atMs: 3500 },
  ]);
});

test('a request for one job asks for that job alone, and tells what fails', async () => {
  const found = await pollCi(deps(), { ciSystem: 'two', job: { repositoryId: 12, jobId: 345 } });
  away.add('two');
  const failed = await pollCi(deps(), { ciSystem: 'two', job: { repositoryId: 12, jobId: 346 } });

  expect([asked, listings]).toEqual([['two 12/345', 'two 12/346'], []]);
  expect(found).toEqual({ polls: 1, failed: 0, queued: 0, errors: [] });
  expect(failed).toEqual({ polls: 1, failed: 1, queued: 0, errors: ['job 346: CiUnavailable: two is away'] });
});

test('a scheduled run waits for the messages of a scale set until the next run, and a single poll as long as GitHub holds it', async () => {
  const waits: number[] = [];
  const scaleSet = { organization: 'acme', profile: 'linux' };
  const hub = CiSystemConfig.parse({ name: 'hub', provider: 'github', ...secrets, events: 'scaleSet', scaleSet });
  const made = deps();
  const jobQueue: JobQueue = {
    open: async () => 'session',
    next: async ({ waitMs }) => {
      waits.push(waitMs);
      nowEpochMs += waitMs;
      return undefined;
    },
    acquire: async () => [],
    acknowledge: async () => {},
  };
  const given = {
    ...made,
    ciSystems: [hub],
    profiles: [makeProfile({ name: 'linux', labels: ['linux'], runner: 'github' })],
    ciSystemOf: (name: string) => ({ ...made.ciSystemOf(name), jobQueue }),
  };

  const scheduled = await pollCi(given, {});
  const once = await pollCi(given, { ciSystem: 'hub' });

  expect(waits).toEqual([55_000, 3000, 55_000]);
  expect([scheduled, once]).toEqual([
    { polls: 2, failed: 0, queued: 0, errors: [] },
    { polls: 1, failed: 0, queued: 0, errors: [] },
  ]);
});

test('a system that is not polled, or unknown, is left alone', async () => {
  expect(await pollCi(deps(), { ciSystem: 'gitea' })).toMatchObject({ polls: 0 });
  expect(await pollCi(deps(), { ciSystem: 'none' })).toMatchObject({ polls: 0 });
});

test('a system that is away is asked less often, is told once, and does not hold up another one', async () => {
  away.add('one');

  const report = await pollCi(deps(), {});

  expect(timesOf('one')).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000]);
  expect(timesOf('two')).toHaveLength(3);
  expect(report.errors).toEqual(['CiUnavailable: one is away']);
});
