import * as fc from 'fast-check';
import { jobKeyOf } from '../../../../core/job/job-id.ts';
import { isWaiting, JobRecord, JobStatus, mergeJob, type SeenJob } from '../../../../core/job/job-record.ts';
import { queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

const runner = { id: 3, name: 'davit-0a1b2c3d-x' };
const expiresAtEpochSeconds = 1_796_558_400;

/** All possible reports about one job. A later report does not revoke an earlier one. */
const said: readonly SeenJob[] = [
  seenJob({ status: 'waiting' }),
  seenJob({ status: 'queued', workflow: 'ci' }),
  seenJob({ status: 'queued', runId: 5, sha: 'abc' }),
  seenJob({ status: 'in_progress', runner, startedAtEpochMs: queuedAtEpochMs + 1000 }),
  seenJob({ status: 'in_progress', url: 'https://gitea.example/8' }),
  seenJob({ status: 'completed', conclusion: 'success', completedAtEpochMs: queuedAtEpochMs + 2000 }),
  seenJob({ status: 'completed', runner }),
];

function mergeAll(seen: readonly SeenJob[], known?: JobRecord): JobRecord | undefined {
  return seen.reduce<JobRecord | undefined>((record, each) => mergeJob(record, each, queuedAtEpochMs), known);
}

test('the first event of a job makes its record, which is kept for 14 days', () => {
  expect(mergeJob(undefined, seenJob(), queuedAtEpochMs)).toEqual({ ...seenJob(), launches: 0, expiresAtEpochSeconds });
});

test('events in any order, and repeated, leave the same record', () => {
  const anySubset = fc.subarray([...said], { minLength: 1 });
  const deliveries = anySubset.chain((events) => {
    const indexes = fc.shuffledSubarray([...events.keys()], { minLength: events.length });
    return fc.tuple(fc.constant(events), indexes, fc.array(fc.nat(events.length - 1)));
  });

  fc.assert(
    fc.property(deliveries, ([events, order, repeats]) => {
      const delivered = [...order, ...repeats].map((index) => events[index] ?? seenJob());

      expect(mergeAll(delivered)).toEqual(mergeAll(events));
    }),
  );
});

test('the status only moves forward, even if an event arrives late', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...said), { minLength: 1 }), fc.constantFrom(...said), (before, late) => {
      const order = ['waiting', 'queued', 'in_progress', 'completed'];
      const known = mergeAll(before);
      const merged = mergeAll([late], known);

      expect(order.indexOf(merged?.status ?? '')).toBeGreaterThanOrEqual(order.indexOf(known?.status ?? ''));
    }),
  );
});

test("no event changes davit's own fields: the launches, which one ran the job, why davit requested none", () => {
  const written = {
    launches: 2,
    lastLaunch: { launchId: 'gitea-7-8-1-x1', atEpochMs: queuedAtEpochMs + 60_000 },
    ranBy: 'gitea-7-9-1',
    notLaunched: 'no profile has all labels',
    expiresAtEpochSeconds,
  };
  const known: JobRecord = { ...seenJob(), ...written };

  fc.assert(
    fc.property(fc.array(fc.constantFrom(...said)), (events) => {
      expect(mergeAll(events, known)).toMatchObject(written);
    }),
  );
});

test("an older copy of the record, seen again, does not change davit's own fields either", () => {
  const known = { ...mergeJob(undefined, seenJob(), queuedAtEpochMs), launches: 2, ranBy: 'gitea-7-9-1' };
  const copy = { ...known, launches: 1, ranBy: 'gitea-7-8-1', expiresAtEpochSeconds: 1 };

  expect(mergeJob(known, copy, queuedAtEpochMs)).toEqual(known);
});

test('a job of another attempt, repository or CI system has another key', () => {
  const ids = [
    seenJob(),
    seenJob({ attempt: 2 }),
    seenJob({ jobId: 9 }),
    seenJob({ repositoryId: 78 }),
    seenJob({ ciSystem: 'github' }),
  ];

  expect(ids.map(jobKeyOf)).toEqual(['gitea/7/8/1', 'gitea/7/8/2', 'gitea/7/9/1', 'gitea/78/8/1', 'github/7/8/1']);
});

test('an id that is text may have any characters', () => {
  expect(jobKeyOf(seenJob({ repositoryId: 'acme/app', jobId: 'ä 1' }))).toBe('gitea/acme%2Fapp/%C3%A4%201/1');
});

test.each([
  ['waiting', 'queued'],
  ['queued', 'in_progress'],
  ['in_progress', 'completed'],
] as const)('a job that was %s can be %s', (before, after) => {
  expect(mergeAll([seenJob({ status: before }), seenJob({ status: after })])?.status).toBe(after);
});

test('of two events of one status, the later one counts', () => {
  expect(mergeAll([seenJob({ name: 'build' }), seenJob({ name: 'build it' })])?.name).toBe('build it');
});

test('a job waits until it runs', () => {
  expect(JobStatus.options.filter((status) => isWaiting({ status }))).toEqual(['waiting', 'queued']);
});

test('an event without news is merged into the very record that is known', () => {
  const known = mergeJob(undefined, seenJob({ runner }), queuedAtEpochMs);

  expect(mergeJob(known, seenJob({ runner: { ...runner } }), queuedAtEpochMs + 1)).toBe(known);
  expect(mergeJob(known, seenJob({ status: 'waiting' }), queuedAtEpochMs + 1)).toBe(known);
  expect(mergeJob(known, seenJob({ runner, labels: ['linux', 'x64'] }), queuedAtEpochMs + 1)).not.toBe(known);
});

test('a record with every field is the same after it was stored', () => {
  const record = {
    ...seenJob({ workflow: 'ci', runId: 40, sha: 'c0ffee', url: 'https://gitea.example/8', runner }),
    conclusion: 'success',
    startedAtEpochMs: queuedAtEpochMs + 1000,
    completedAtEpochMs: queuedAtEpochMs + 2000,
    launches: 2,
    lastLaunch: { launchId: 'gitea-7-8-1-x1', atEpochMs: queuedAtEpochMs },
    ranBy: 'gitea-7-8-1-x1',
    notLaunched: 'no profile has all labels',
    limitedBy: 'profile/linux',
    expiresAtEpochSeconds,
  };

  expect(JobRecord.parse(record)).toEqual(record);
  expect(JobRecord.parse({ ...record, jobId: 'text' }).jobId).toBe('text');
});
