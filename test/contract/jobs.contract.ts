import * as fc from 'fast-check';
import type { PoolLook } from '../../core/agent/pool.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { mergeJob, type SeenJob } from '../../core/job/job-record.ts';
import type { Jobs } from '../../ports/jobs.ts';
import { jobIdOf, queuedAtEpochMs, seenJob } from '../support/seen-job.ts';

const twenty = Array.from({ length: 20 }, (_, index) => index);
const hourMs = 3_600_000;
const now = queuedAtEpochMs;
const job = jobIdOf(seenJob());
const runner = { id: 3, name: 'davit-0a1b2c3d-x' };
const app = { owner: 'acme', name: 'app' };
const keyOf = (jobId: number, given: Partial<SeenJob> = {}) => jobKeyOf(seenJob({ jobId, ...given }));
const keysOf = (listed: readonly { jobKey: string }[]) => listed.map(({ jobKey }) => jobKey);

/** The contract of every jobs table. @param makeJobs returns an empty table each time */
export function describeJobs(name: string, makeJobs: () => Promise<Jobs>): void {
  describe(`jobs (${name})`, () => {
    let jobs: Jobs;
    beforeEach(async () => {
      jobs = await makeJobs();
    });

    test('a job that was never seen has no record, and no record is written for it', async () => {
      await jobs.noteRanBy(job, 'gitea-7-8-1');
      await jobs.noteNotLaunched(job, 'no profile');
      const claimed = await jobs.claimLaunch(job, 0, 'gitea-7-8-1', now);

      expect(claimed).toBe(false);
      expect(await jobs.get(job)).toBeUndefined();
    });

    test('a seen job is merged into its record, and the record in effect is returned', async () => {
      const said = [
        seenJob({ status: 'waiting' }),
        seenJob({ workflow: 'ci' }),
        seenJob({ status: 'in_progress', runner, startedAtEpochMs: now + 1 }),
        seenJob({ status: 'completed', conclusion: 'success', runner }),
      ];
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom<SeenJob>(...said), { minLength: 1 }), async (events) => {
          jobs = await makeJobs();
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

    test('events that arrive at the same time are all in the record', async () => {
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

    test('many callers claim the next launch at the same time: one gets it, and may repeat its claim', async () => {
      await jobs.note(seenJob(), now);

      const claims = await Promise.all(twenty.map((index) => jobs.claimLaunch(job, 0, `launch-${index}`, now + index)));

      const winner = claims.indexOf(true);
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await jobs.get(job)).toMatchObject({ launches: 1, lastLaunch: { launchId: `launch-${winner}` } });
      expect(await jobs.claimLaunch(job, 0, `launch-${winner}`, now + 99)).toBe(true);
      expect(await jobs.claimLaunch(job, 0, `launch-${(winner + 1) % 20}`, now + 99)).toBe(false);
      expect(await jobs.get(job)).toMatchObject({ lastLaunch: { atEpochMs: now + winner } });
    });

    test('a claim is granted only for the present count of launches', async () => {
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

    test('a claim is granted only for a queued job', async () => {
      const running = seenJob({ jobId: 1, status: 'in_progress', runner });
      for (const each of [running, seenJob({ jobId: 2, status: 'completed' })]) await jobs.note(each, now);

      const claims = [
        await jobs.claimLaunch(running, 0, 'gitea-7-1-1', now),
        await jobs.claimLaunch(seenJob({ jobId: 2 }), 0, 'gitea-7-2-1', now),
      ];

      expect(claims).toEqual([false, false]);
      expect(await jobs.get(running)).toMatchObject({ launches: 0 });
    });

    test('the record says why davit requested no agent, until it requests one', async () => {
      await jobs.note(seenJob(), now);

      await jobs.noteNotLaunched(job, 'three replacements failed');
      const told = await jobs.get(job);
      await jobs.claimLaunch(job, 0, 'first', now);

      expect(told).toMatchObject({ notLaunched: 'three replacements failed', launches: 0 });
      expect(await jobs.get(job)).not.toHaveProperty('notLaunched');
    });

    test('the first launch that ran a job stays, and no event takes it away', async () => {
      await jobs.note(seenJob(), now);

      await Promise.all(twenty.map((index) => jobs.noteRanBy(job, `launch-${index}`)));
      const first = (await jobs.get(job))?.ranBy;
      await jobs.noteRanBy(job, 'another');
      await jobs.note(seenJob({ status: 'completed', conclusion: 'success' }), now);

      expect(first).toMatch(/^launch-\d+$/);
      expect(await jobs.get(job)).toMatchObject({ ranBy: first, status: 'completed' });
    });

    test('attempts, repositories and CI systems have records of their own', async () => {
      const others = [{ attempt: 2 }, { repositoryId: 78 }, { ciSystem: 'github' }, { jobId: 9 }].map(seenJob);

      await jobs.note(seenJob({ name: 'this' }), now);
      for (const other of others) await jobs.note({ ...other, name: 'that' }, now);

      expect(await jobs.get(job)).toMatchObject({ name: 'this' });
      for (const other of others) expect(await jobs.get(jobIdOf(other))).toMatchObject({ name: 'that' });
    });

    test('jobs that wait are listed by CI system, oldest first, until they run or are over', async () => {
      const seen = (jobId: number, given: Partial<SeenJob> = {}) => seenJob({ jobId, ...given });

      await jobs.note(seen(3), now + 3000);
      await jobs.note(seen(1), now + 1000);
      await jobs.note(seen(2, { status: 'waiting' }), now + 2000);
      await jobs.note(seen(4, { ciSystem: 'github' }), now);
      await jobs.note(seen(5, { status: 'completed' }), now);
      await jobs.note(seen(6), now);
      await jobs.note(seen(7), now);
      await jobs.note(seen(6, { status: 'in_progress', runner }), now + 4000);
      await jobs.note(seen(7, { status: 'completed' }), now + 4000);
      await jobs.note(seen(2), now + 5000);
      await jobs.claimLaunch(seen(1), 0, 'gitea-7-1-1', now);
      await jobs.noteNotLaunched(seen(3), 'no profile');

      expect(await jobs.listWaiting('gitea')).toEqual([
        { jobKey: keyOf(1), sinceEpochMs: now + 1000 },
        { jobKey: keyOf(2), sinceEpochMs: now + 2000 },
        { jobKey: keyOf(3), sinceEpochMs: now + 3000 },
      ]);
      expect(await jobs.listWaiting('github')).toEqual([
        { jobKey: keyOf(4, { ciSystem: 'github' }), sinceEpochMs: now },
      ]);
      expect(await jobs.listWaiting('nowhere')).toEqual([]);
    });

    test('a job that waits for a slot is listed as limited until davit requests an agent, or it runs', async () => {
      for (const jobId of [1, 2, 3, 4]) await jobs.note(seenJob({ jobId }), now + jobId * 1000);
      await jobs.note(seenJob({ jobId: 5, status: 'in_progress', runner }), now);

      for (const jobId of [1, 2, 3, 5]) await jobs.noteLimited(seenJob({ jobId }), 0, 'profile/linux', '2 of 2 agents');
      const limited = await jobs.listLimited('gitea');
      await jobs.claimLaunch(seenJob({ jobId: 1 }), 0, 'gitea-7-1-1', now);
      await jobs.noteLimited(seenJob({ jobId: 1 }), 0, 'profile/linux', 'too late');
      await jobs.noteNotLaunched(seenJob({ jobId: 2 }), 'no profile');
      await jobs.note(seenJob({ jobId: 3, status: 'completed' }), now + 9000);

      const records = await jobs.getMany([1, 2, 3, 4, 5].map((jobId) => keyOf(jobId)));
      expect(limited).toEqual([1, 2, 3].map((jobId) => ({ jobKey: keyOf(jobId), sinceEpochMs: now + jobId * 1000 })));
      expect(records.filter(({ limitedBy, status }) => limitedBy !== undefined && status === 'queued')).toEqual([]);
      expect(keysOf(await jobs.listWaiting('gitea'))).toEqual([1, 2, 4].map((jobId) => keyOf(jobId)));
      expect(keysOf(await jobs.listLimited('gitea'))).not.toContain(keyOf(3));
      expect(await jobs.listLimited('github')).toEqual([]);
    });

    test('a queued job that waits for no slot any more is listed as one that waits, and not as limited', async () => {
      for (const jobId of [1, 2, 3]) await jobs.note(seenJob({ jobId }), now);
      for (const jobId of [1, 2, 3]) await jobs.noteLimited(seenJob({ jobId }), 0, 'profile/linux', '2 of 2 agents');
      await jobs.claimLaunch(seenJob({ jobId: 2 }), 0, 'gitea-7-2-1', now);
      await jobs.note(seenJob({ jobId: 3, status: 'completed' }), now);

      for (const jobId of [1, 2, 3]) await jobs.noteLimited(seenJob({ jobId }), 0, undefined, 'it is over');

      const record = await jobs.get(seenJob({ jobId: 1 }));
      expect(record).toMatchObject({ status: 'queued', notLaunched: 'it is over' });
      expect(record).not.toHaveProperty('limitedBy');
      expect(await jobs.get(seenJob({ jobId: 2 }))).not.toHaveProperty('notLaunched');
      expect(keysOf(await jobs.listLimited('gitea'))).not.toContain(keyOf(1));
      expect(keysOf(await jobs.listWaiting('gitea'))).toContain(keyOf(1));
      expect(keysOf(await jobs.listWaiting('gitea'))).not.toContain(keyOf(3));
    });

    test('a job that waits for a slot still does after a later event or list adds details', async () => {
      await jobs.note(seenJob({ jobId: 1 }), now);
      await jobs.noteLimited(seenJob({ jobId: 1 }), 0, 'profile/linux', '2 of 2 agents');

      await jobs.note(seenJob({ jobId: 1, workflow: 'Nightly' }), now + 1000);

      const keys = [keyOf(1)];
      expect(await jobs.getMany(keys)).toMatchObject([{ limitedBy: 'profile/linux', workflow: 'Nightly' }]);
      expect(keysOf(await jobs.listLimited('gitea'))).toEqual(keys);
      expect(keysOf(await jobs.listWaiting('gitea'))).toEqual(keys);
    });

    test('many records are read by their keys, and unknown ones are left out', async () => {
      for (const jobId of [1, 2]) await jobs.note(seenJob({ jobId }), now);

      const keys = [1, 2, 3, 1].map((jobId) => keyOf(jobId));
      const records = await jobs.getMany(keys);

      expect(records.map(({ jobId }) => `${jobId}`).toSorted()).toEqual(['1', '2']);
      expect(records).toContainEqual(await jobs.get(seenJob({ jobId: 2 })));
      expect(await jobs.getMany([])).toEqual([]);
    });

    test('a repository is listed for a day after its event, for its own CI system', async () => {
      const mine = { repository: { owner: 'alice', name: 'app' } };

      await jobs.noteRepository('gitea', { repository: app, organization: 'acme' }, now);
      await jobs.noteRepository('gitea', mine, now + 20 * hourMs);
      await jobs.noteRepository('github', { repository: { owner: 'x', name: 'y' } }, now);

      const listed = await jobs.listRepositories('gitea', now + 24 * hourMs);
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining([{ repository: app, organization: 'acme' }, mine]));
      expect(await jobs.listRepositories('gitea', now + 26 * hourMs)).toEqual([mine]);
      expect(await jobs.listRepositories('nowhere', now)).toEqual([]);
    });

    test('a repository with a steady flow of events stays listed', async () => {
      for (const minutes of [0, 30, 59, 61, 90, 125]) {
        await jobs.noteRepository('gitea', { repository: app }, now + minutes * 60_000);
      }

      expect(await jobs.listRepositories('gitea', now + 26 * hourMs)).toEqual([{ repository: app }]);
    });

    test('more repositories than are read at a time are all listed', async () => {
      const names = Array.from({ length: 520 }, (_, index) => `app-${index}`);

      for (let from = 0; from < names.length; from += 20) {
        const some = names.slice(from, from + 20).map((each) => ({ repository: { owner: 'acme', name: each } }));
        await Promise.all(some.map((place) => jobs.noteRepository('gitea', place, now)));
      }

      const listed = await jobs.listRepositories('gitea', now);
      expect(listed.map(({ repository }) => repository.name).toSorted()).toEqual(names.toSorted());
    }, 60_000);

    test('the look at each pool is the last stored one, and none of another CI system', async () => {
      const [linux, other] = ['["gitea","acme","",["linux"]]', `["gitea","acme","",["${'x'.repeat(2000)}"]]`];
      const look = (missing: number, atEpochMs: number): PoolLook => ({ missing, atEpochMs });

      const none = await jobs.readLooks('gitea');
      await jobs.keepLook('gitea', linux, look(1, now), now);
      await jobs.keepLook('gitea', other, look(-3, now), now);
      await jobs.keepLook('gitea', linux, look(2, now + 60_000), now + 60_000);
      await jobs.keepLook('gitea', linux, look(3, now + 30_000), now + 30_000);

      expect(none).toEqual(new Map());
      expect(await jobs.readLooks('gitea')).toEqual(
        new Map([
          [linux, look(2, now + 60_000)],
          [other, look(-3, now)],
        ]),
      );
      expect(await jobs.readLooks('github')).toEqual(new Map());
    });

    test('a look that was stored before the clock was set back gives way to the next one', async () => {
      await jobs.keepLook('gitea', 'pool', { missing: 1, atEpochMs: now + 3_600_000 }, now + 3_600_000);

      await jobs.keepLook('gitea', 'pool', { missing: 2, atEpochMs: now }, now);

      expect(await jobs.readLooks('gitea')).toEqual(new Map([['pool', { missing: 2, atEpochMs: now }]]));
    });
  });
}

/** Describes what jobs that are stored as text, or as items of a table, do with a record that cannot be read. */
export function describeStoredJobs(
  name: string,
  makeJobs: (reportUnreadable?: (jobKey: string, why: string) => void) => Promise<Jobs>,
): void {
  describe(`stored jobs (${name})`, () => {
    test('a record that cannot be read hides no other: of a job', async () => {
      const jobs = await makeJobs();
      const unreadable = seenJob({ jobId: 1, repository: { owner: '', name: 'app' } });
      // An adapter may notice it as soon as it writes.
      await jobs.note(unreadable, now).catch(() => {});
      await jobs.note(seenJob({ jobId: 2 }), now);

      const records = await jobs.getMany([1, 2].map((jobId) => keyOf(jobId)));

      expect(records.map(({ jobId }) => jobId)).toEqual([2]);
      await expect(jobs.get(unreadable)).rejects.toThrow('expected string');
    });

    test('a record of a job that cannot be read is reported, once', async () => {
      const reported: string[] = [];
      const jobs = await makeJobs((jobKey, why) => reported.push(`${jobKey}: ${why}`));
      const unreadable = seenJob({ jobId: 1, repository: { owner: '', name: 'app' } });
      await jobs.note(unreadable, now).catch(() => {});
      await jobs.note(seenJob({ jobId: 2 }), now);
      const keys = [1, 2, 3].map((jobId) => keyOf(jobId));

      await jobs.getMany(keys);
      await jobs.getMany(keys);

      expect(reported).toEqual([expect.stringContaining(`${keys[0]}: repository.owner: `)]);
    });

    test('a record that cannot be read hides no other: of a repository', async () => {
      const jobs = await makeJobs();
      await jobs.noteRepository('gitea', { repository: { owner: '', name: 'app' } }, now);
      await jobs.noteRepository('gitea', { repository: app }, now);

      const listed = await jobs.listRepositories('gitea', now);

      expect(listed).toEqual([{ repository: app }]);
    });
  });
}
