import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { mergeJob, type SeenJob } from '../../functions/domain/job-record.ts';
import type { PoolLook } from '../../functions/domain/pool.ts';
import type { Jobs } from '../../functions/ports/jobs.ts';
import { jobIdOf, queuedAtEpochMs, seenJob } from '../support/seen-job.ts';

const twenty = Array.from({ length: 20 }, (_, index) => index);
const hourMs = 3_600_000;
const now = queuedAtEpochMs;
const job = jobIdOf(seenJob());
const runner = { id: 3, name: 'davit-0a1b2c3d-x' };
const app = { owner: 'acme', name: 'app' };

/**
 * What every jobs table does.
 *
 * @param makeJobs gives an empty table each time
 */
export function describeJobs(name: string, makeJobs: () => Promise<Jobs>): void {
  describe(`jobs (${name})`, () => {
    test('a job that nobody has seen has no record, and nothing is written about it', async () => {
      const jobs = await makeJobs();

      await jobs.noteRanBy(job, 'gitea-7-8-1');
      await jobs.noteNotLaunched(job, 'no profile');
      const claimed = await jobs.claimLaunch(job, 0, 'gitea-7-8-1', now);

      expect(claimed).toBe(false);
      expect(await jobs.get(job)).toBeUndefined();
    });

    test('what is noted is merged into what is known, and the record in effect is returned', async () => {
      const said = [
        seenJob({ status: 'waiting' }),
        seenJob({ workflow: 'ci' }),
        seenJob({ status: 'in_progress', runner, startedAtEpochMs: now + 1 }),
        seenJob({ status: 'completed', conclusion: 'success', runner }),
      ];
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom<SeenJob>(...said), { minLength: 1 }), async (events) => {
          const jobs = await makeJobs();
          let expected = mergeJob(undefined, events[0] ?? seenJob(), now);
          for (const [index, event] of events.entries()) {
            if (index > 0) expected = mergeJob(expected, event, now + index);

            expect(await jobs.note(event, now + index)).toEqual(expected);
          }
          expect(await jobs.get(job)).toEqual(expected);
        }),
        { numRuns: 15 },
      );
    }, 60_000);

    test('events that come at once are all in the record', async () => {
      const jobs = await makeJobs();
      const events = [
        seenJob({ workflow: 'ci' }),
        seenJob({ sha: 'abc' }),
        seenJob({ runId: 5 }),
        seenJob({ status: 'in_progress', runner }),
        seenJob({ status: 'completed', conclusion: 'success' }),
      ];

      await Promise.all([...events, ...events].map((event) => jobs.note(event, now)));

      const whole = { workflow: 'ci', sha: 'abc', runId: 5, runner, status: 'completed', conclusion: 'success' };
      expect(await jobs.get(job)).toMatchObject(whole);
    });

    test('of many claims of the next launch one is granted, and its repeat', async () => {
      const jobs = await makeJobs();
      await jobs.note(seenJob(), now);

      const claims = await Promise.all(twenty.map((index) => jobs.claimLaunch(job, 0, `launch-${index}`, now + index)));

      const winner = claims.indexOf(true);
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await jobs.get(job)).toMatchObject({ launches: 1, lastLaunch: { launchId: `launch-${winner}` } });
      expect(await jobs.claimLaunch(job, 0, `launch-${winner}`, now + 99)).toBe(true);
      expect(await jobs.claimLaunch(job, 0, `launch-${(winner + 1) % 20}`, now + 99)).toBe(false);
      expect(await jobs.get(job)).toMatchObject({ lastLaunch: { atEpochMs: now + winner } });
    });

    test('a claim counts from what it has seen: neither an earlier nor a later count is granted', async () => {
      const jobs = await makeJobs();
      await jobs.note(seenJob(), now);

      const claims = [
        await jobs.claimLaunch(job, 1, 'too-early', now),
        await jobs.claimLaunch(job, 0, 'first', now),
        await jobs.claimLaunch(job, 1, 'second', now + 1),
        await jobs.claimLaunch(job, 0, 'first', now + 2),
        await jobs.claimLaunch(job, 1, 'third', now + 2),
      ];

      expect(claims).toEqual([false, true, true, false, false]);
      expect(await jobs.get(job)).toMatchObject({
        launches: 2,
        lastLaunch: { launchId: 'second', atEpochMs: now + 1 },
      });
    });

    test('why no agent was asked for is told until one is', async () => {
      const jobs = await makeJobs();
      await jobs.note(seenJob(), now);

      await jobs.noteNotLaunched(job, 'three replacements failed');
      const told = await jobs.get(job);
      await jobs.claimLaunch(job, 0, 'first', now);

      expect(told).toMatchObject({ notLaunched: 'three replacements failed', launches: 0 });
      expect(await jobs.get(job)).not.toHaveProperty('notLaunched');
    });

    test('the first launch that ran a job stays, and no event takes it away', async () => {
      const jobs = await makeJobs();
      await jobs.note(seenJob(), now);

      await Promise.all(twenty.map((index) => jobs.noteRanBy(job, `launch-${index}`)));
      const first = (await jobs.get(job))?.ranBy;
      await jobs.noteRanBy(job, 'another');
      await jobs.note(seenJob({ status: 'completed', conclusion: 'success' }), now);

      expect(first).toMatch(/^launch-\d+$/);
      expect(await jobs.get(job)).toMatchObject({ ranBy: first, status: 'completed' });
    });

    test('attempts, repositories and CI systems have records of their own', async () => {
      const jobs = await makeJobs();
      const others = [{ attempt: 2 }, { repositoryId: 78 }, { ciSystem: 'github' }, { jobId: 9 }].map(seenJob);

      await jobs.note(seenJob({ name: 'this' }), now);
      for (const other of others) await jobs.note({ ...other, name: 'that' }, now);

      expect(await jobs.get(job)).toMatchObject({ name: 'this' });
      for (const other of others) expect(await jobs.get(jobIdOf(other))).toMatchObject({ name: 'that' });
    });

    test('a repository is listed for a day after its event, for its own CI system', async () => {
      const jobs = await makeJobs();
      const mine = { repository: { owner: 'alice', name: 'app' } };

      await jobs.notePlace('gitea', { repository: app, organization: 'acme' }, now);
      await jobs.notePlace('gitea', mine, now + 20 * hourMs);
      await jobs.notePlace('github', { repository: { owner: 'x', name: 'y' } }, now);

      const listed = await jobs.listPlaces('gitea', now + 24 * hourMs);
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining([{ repository: app, organization: 'acme' }, mine]));
      expect(await jobs.listPlaces('gitea', now + 26 * hourMs)).toEqual([mine]);
      expect(await jobs.listPlaces('nowhere', now)).toEqual([]);
    });

    test('a repository with one event after the other stays listed', async () => {
      const jobs = await makeJobs();

      for (const minutes of [0, 30, 59, 61, 90, 125]) {
        await jobs.notePlace('gitea', { repository: app }, now + minutes * 60_000);
      }

      expect(await jobs.listPlaces('gitea', now + 26 * hourMs)).toEqual([{ repository: app }]);
    });

    test('more repositories than are read at a time are all listed', async () => {
      const jobs = await makeJobs();
      const names = Array.from({ length: 520 }, (_, index) => `app-${index}`);

      for (let from = 0; from < names.length; from += 20) {
        const some = names.slice(from, from + 20).map((each) => ({ repository: { owner: 'acme', name: each } }));
        await Promise.all(some.map((place) => jobs.notePlace('gitea', place, now)));
      }

      const listed = await jobs.listPlaces('gitea', now);
      expect(listed.map(({ repository }) => repository.name).toSorted()).toEqual(names.toSorted());
    }, 60_000);

    test('the looks of the last reconcile are what was kept last, and none of another CI system', async () => {
      const jobs = await makeJobs();
      const looks = (missing: number): [string, PoolLook][] => [
        ['["gitea","acme","",["linux"]]', { missing, atEpochMs: now }],
      ];

      const none = await jobs.readLooks('gitea');
      await jobs.keepLooks('gitea', new Map([...looks(1), ['gone', { missing: -3, atEpochMs: now }]]), now);
      await jobs.keepLooks('gitea', new Map(looks(2)), now + 60_000);
      await jobs.keepLooks('gitea', new Map(looks(3)), now + 30_000);

      expect(none).toEqual(new Map());
      expect(await jobs.readLooks('gitea')).toEqual(new Map(looks(2)));
      expect(await jobs.readLooks('github')).toEqual(new Map());
    });
  });
}
