import { setTimeout as sleep } from 'node:timers/promises';
import type { CiScope, RepositoryName } from '../../core/ci/ci-scope.ts';
import type { ReadJob } from '../../core/job/job-record.ts';
import type { CiJobStatus, CiSystem, Registration } from '../../ports/ci-system.ts';
import { until } from '../prove/cluster/until.ts';

/** The outcome of a runner: the task that it ran, or why it has none. */
export type RunnerEnd = { task: string; succeeded: boolean } | { refused: string };

/** A CI system with an organization, and the test's own actions in it. */
export interface CiWorld {
  organization: string;
  /** davit's adapter, with a credential that has all rights. */
  ci: CiSystem;
  /** The same adapter with an unknown credential. */
  stranger: CiSystem;
  /** Queues a run of jobs `job0`, `job1`, … in a new repository, one for each step. @returns the commit's SHA */
  queueJobs(repository: string, label: string, steps: readonly string[]): Promise<string>;
  /** Joins as the registered runner, and runs one job if there is one. */
  runOneJob(registration: Registration): Promise<RunnerEnd>;
  /** The id of a repository with jobs, from its creation. */
  repositoryIdOf(repository: string): Promise<number | undefined>;
  /** The conclusion of a repository's only run. */
  conclusionOf(repository: string): Promise<string | undefined>;
  statusesOf(repository: RepositoryName, sha: string): Promise<unknown[]>;
  /** Lets a runner get jobs again, as people can on the system's pages. Only for `CiDifferences.peopleMayResume`. */
  resumeAssigning?(runnerId: number): Promise<void>;
  /** Answers no request until it is resumed. */
  fail(): Promise<void>;
  resume(): Promise<void>;
}

/** What a CI system has that differs from the others. */
export interface CiDifferences {
  /** Runners stay when they have run their job, and davit removes them. */
  runnersStay?: boolean;
  /** To run a job again makes a job of another id, whose attempt is the first. */
  rerunsAreNewJobs?: boolean;
  /** davit sets no statuses of commits there. */
  hasNoStatuses?: boolean;
  /** A runner is stopped by a flag that people can take away again. */
  peopleMayResume?: boolean;
}

const patienceMs = 15_000;

/** davit's requirements for any CI system with a queue. Runs against each adapter with its fake or real server. */
export function ciSystemContract(name: string, start: () => Promise<CiWorld>, differs: CiDifferences = {}): void {
  const testReruns = differs.rerunsAreNewJobs ? test.skip : test;
  describe(`${name}, by its adapter`, () => {
    let world: CiWorld;
    let ci: CiSystem;
    let scope: CiScope;

    beforeAll(async () => {
      world = await start();
      ci = world.ci;
      scope = { organization: world.organization };
    });

    /** Lists jobs in the repository's organization, if the system has such a list. */
    async function listJobs(statuses: readonly CiJobStatus[], repository: string): Promise<ReadJob[]> {
      const ofRepository = { repository: { owner: world.organization, name: repository } };
      const jobs = await ci.listJobs(ci.listsJobsOf === 'organization' ? scope : ofRepository, statuses);
      return (jobs ?? []).filter((job) => job.repository.name === repository);
    }

    async function jobsIn(repository: string, status: CiJobStatus): Promise<ReadJob[]> {
      return listJobs([status], repository);
    }

    async function untilJob(repository: string, status: CiJobStatus): Promise<ReadJob> {
      return until(
        `${repository} has a job that is ${status}`,
        patienceMs,
        async () => (await jobsIn(repository, status))[0],
      );
    }

    test('a registered runner runs one queued job and is gone', async () => {
      await world.queueJobs('one', 'once', ['test 1 = 1']);
      const queued = await untilJob('one', 'queued');

      const registration = await ci.register(scope, { name: 'davit-one', labels: ['once'] });
      const end = await world.runOneJob(registration);
      if (differs.runnersStay) {
        expect(await ci.mayHaveHadJob?.(scope, registration.runner.id)).toBe(true);
        await ci.stopAssigning(scope, registration.runner.id);
        expect(await ci.removeIfIdle(scope, registration.runner.id)).toBe('removed');
      }

      expect(queued).toMatchObject({ attempt: 1, labels: ['once'], status: 'queued', name: 'job0' });
      expect(queued).not.toHaveProperty('runner');
      expect(end).toMatchObject({ succeeded: true });
      expect(await world.conclusionOf('one')).toBe('success');
      expect(await ci.findRunners(scope, 'davit-one')).toEqual([]);
    });

    test('a listed job names its repository by its id, its run, its commit and when it was queued', async () => {
      const before = Date.now();

      const sha = await world.queueJobs('listed', 'never', ['true', 'true']);
      const first = await untilJob('listed', 'queued');
      const [, second] = await jobsIn('listed', 'queued');

      const repositoryId = await world.repositoryIdOf('listed');
      expect(repositoryId).toEqual(expect.any(Number));
      expect(first).toMatchObject({ repository: { owner: world.organization, name: 'listed' }, repositoryId, sha });
      expect(second).toMatchObject({ repositoryId, sha, runId: first.runId });
      // Gitea's resolution is one second.
      expect(first.queuedAtEpochMs).toBeGreaterThanOrEqual(before - 1000);
      expect(first.queuedAtEpochMs).toBeLessThanOrEqual(Date.now());
    });

    test('a job whose step fails is a failure', async () => {
      await world.queueJobs('red', 'fails', ['exit 3']);

      const end = await world.runOneJob(await ci.register(scope, { name: 'davit-red', labels: ['fails'] }));

      expect(end).toMatchObject({ succeeded: false });
      expect(await world.conclusionOf('red')).toBe('failure');
    });

    test("two runners may take each other's jobs: the running job names its runner", async () => {
      await world.queueJobs('cross', 'shared', ['sleep 2', 'sleep 2']);
      const first = await ci.register(scope, { name: 'davit-first', labels: ['shared'] });
      const second = await ci.register(scope, { name: 'davit-second', labels: ['shared'] });

      const ends = [world.runOneJob(second), world.runOneJob(first)];
      const running = await until('both jobs run', patienceMs, async () => {
        const jobs = await listJobs(['in_progress'], 'cross');
        return jobs.length === 2 && jobs;
      });

      expect(new Set(running.map(({ runner }) => runner?.id))).toEqual(new Set([first.runner.id, second.runner.id]));
      expect(await Promise.all(ends)).toMatchObject([{ succeeded: true }, { succeeded: true }]);
    });

    test('a runner that runs a job is busy and stays, though it gets no other', async () => {
      await world.queueJobs('busy', 'slow', ['sleep 3']);
      const registration = await ci.register(scope, { name: 'davit-busy', labels: ['slow'] });
      const running = world.runOneJob(registration);
      const job = await untilJob('busy', 'in_progress');

      await ci.stopAssigning(scope, registration.runner.id);
      const removal = await ci.removeIfIdle(scope, registration.runner.id);

      expect(job).toMatchObject({ attempt: 1, runner: registration.runner });
      expect(removal).toBe('busy');
      expect(await running).toMatchObject({ succeeded: true });
    });

    test('an idle runner is removed, however often, and then gets no job', async () => {
      const registration = await ci.register(scope, { name: 'davit-idle', labels: ['idle'] });
      const { id } = registration.runner;
      const asking = world.runOneJob(registration);

      await ci.stopAssigning(scope, id);
      await sleep(500);
      const removals = [await ci.removeIfIdle(scope, id), await ci.removeIfIdle(scope, id)];
      await world.queueJobs('idle', 'idle', ['true']);

      expect(removals).toEqual(['removed', 'gone']);
      expect(await asking).toHaveProperty('refused');
      expect(await untilJob('idle', 'queued')).toMatchObject({ name: 'job0' });
      await expect(ci.stopAssigning(scope, id)).resolves.toBeUndefined();
    });

    (differs.peopleMayResume ? test : test.skip)(
      'a stopped runner that people let get jobs again is busy',
      async () => {
        const { runner } = await ci.register(scope, { name: 'davit-resumed', labels: ['resumed'] });

        await ci.stopAssigning(scope, runner.id);
        await world.resumeAssigning?.(runner.id);
        const whileResumed = await ci.removeIfIdle(scope, runner.id);
        await ci.stopAssigning(scope, runner.id);

        expect([whileResumed, await ci.removeIfIdle(scope, runner.id)]).toEqual(['busy', 'removed']);
      },
    );

    test('registering a name again keeps the first runner: the caller gets a conflict or a runner of its own', async () => {
      const { runner } = await ci.register(scope, { name: 'davit-twice', labels: ['twice'] });

      const [again] = await Promise.allSettled([ci.register(scope, { name: 'davit-twice', labels: ['twice'] })]);

      if (again.status === 'fulfilled') expect(again.value.runner.id).not.toBe(runner.id);
      else expect(again.reason).toMatchObject({ name: 'TransientError', code: 'WriteConflict' });
      expect(await ci.findRunners(scope, 'davit-twice')).toContainEqual(expect.objectContaining(runner));
    });

    test("a repository's own runner takes no job of another repository", async () => {
      await world.queueJobs('mine', 'own', ['true']);
      await world.queueJobs('other', 'own', ['true']);
      const own: CiScope = { repository: { owner: world.organization, name: 'other' } };

      const end = await world.runOneJob(await ci.register(own, { name: 'davit-own', labels: ['own'] }));

      expect(end).toMatchObject({ succeeded: true });
      expect(await world.conclusionOf('other')).toBe('success');
      expect(await untilJob('mine', 'queued')).toMatchObject({ status: 'queued' });
    });

    test('lists of more than one page are read to the end', async () => {
      const names = Array.from({ length: 103 }, (_, index) => `davit-page-${index}`);
      for (const runner of names) await ci.register(scope, { name: runner, labels: ['page'] });

      const found = await ci.findRunners(scope, 'davit-page-');
      const paged: string[] = [];
      for (let page = 1; page < 10; page += 1) {
        const { runners, isLast } = await ci.runnersOnPage(scope, 'davit-page-', page);
        paged.push(...runners.map((runner) => runner.name));
        if (isLast) break;
      }

      expect(found.map((runner) => runner.name).toSorted()).toEqual(names.toSorted());
      expect(paged.toSorted()).toEqual(names.toSorted());
    });

    test('a registered runner is found by its id, and one that is gone is not', async () => {
      const { runner } = await ci.register(scope, { name: 'davit-by-id', labels: ['by-id'] });

      const registered = await ci.getRunner(scope, runner.id);
      await ci.stopAssigning(scope, runner.id);
      await ci.removeIfIdle(scope, runner.id);

      expect(registered).toEqual(runner);
      expect(await ci.getRunner(scope, runner.id)).toBeUndefined();
    });

    test('a runner of an invisible organization is not gone: the question is refused', async () => {
      const asked = ci.getRunner({ organization: 'nowhere' }, 1);

      await expect(asked).rejects.toMatchObject({ name: 'TerminalError', code: 'CiRefused' });
    });

    test('a job that is asked for by its id is queued, then runs on its runner, then is over', async () => {
      await world.queueJobs('asked', 'asked', ['sleep 2']);
      const repository = { owner: world.organization, name: 'asked' };
      const { jobId } = await untilJob('asked', 'queued');
      const queued = await ci.getJob(repository, jobId);
      const registration = await ci.register(scope, { name: 'davit-asked', labels: ['asked'] });

      const running = world.runOneJob(registration);
      await untilJob('asked', 'in_progress');
      const inProgress = await ci.getJob(repository, jobId);
      await running;
      const over = await until('the job is over', patienceMs, async () => {
        const job = await ci.getJob(repository, jobId);
        return job?.status === 'completed' && job;
      });

      expect(queued).toEqual({ attempt: 1, status: 'queued' });
      expect(inProgress).toEqual({ attempt: 1, status: 'in_progress', runner: registration.runner });
      expect(over).toMatchObject({ attempt: 1, conclusion: 'success', runner: { id: registration.runner.id } });
    });

    test('a job that never was is gone, if davit sees its repository', async () => {
      await world.queueJobs('seen', 'nobody', ['true']);

      expect(await ci.getJob({ owner: world.organization, name: 'seen' }, 987_654_321)).toBeUndefined();
    });

    test('a job of an invisible repository is not gone: the question is refused', async () => {
      const asked = ci.getJob({ owner: world.organization, name: 'nowhere' }, 1);

      await expect(asked).rejects.toMatchObject({ name: 'TerminalError', code: 'CiRefused' });
    });

    testReruns('a job that has failed is run once more, when its run is over', async () => {
      await world.queueJobs('again', 'flaky', ['exit 3', 'exit 3']);
      const repository = { owner: world.organization, name: 'again' };
      const jobs = await until('both jobs are queued', patienceMs, async () => {
        const queued = await jobsIn('again', 'queued');
        return queued.length === 2 && queued;
      });
      const runNext = async (index: number) =>
        world.runOneJob(await ci.register(scope, { name: `davit-flaky-${index}`, labels: ['flaky'] }));
      const rerun = async ({ jobId, runId = 0, attempt }: ReadJob) =>
        ci.rerunFailed(repository, runId, [{ id: Number(jobId), attempt }]);

      await runNext(0);
      const left = await jobsIn('again', 'queued');
      const failed = jobs.find(({ jobId }) => !left.some((job) => job.jobId === jobId));
      if (failed === undefined) throw new Error('none of the jobs has run');
      const early = await rerun(failed);
      await runNext(1);
      await until('the run is over', patienceMs, async () => (await world.conclusionOf('again')) === 'failure');
      const asked = await rerun(failed);
      const next = await untilJob('again', 'queued');

      expect(early).toBe('running');
      expect(asked).toEqual([failed.jobId]);
      expect(next).toMatchObject({ name: failed.name, attempt: 2 });
      expect(await jobsIn('again', 'queued')).toHaveLength(1);
      expect(await rerun(failed)).not.toEqual([failed.jobId]);
    });

    testReruns(
      'of several jobs of a run all failed ones are run once more, and never when a later attempt is over',
      async () => {
        await world.queueJobs('matrix', 'matrix', ['exit 3', 'exit 3', 'true']);
        const repository = { owner: world.organization, name: 'matrix' };
        const queued = async (count: number) =>
          until(`${count} jobs are queued`, patienceMs, async () => {
            const jobs = await jobsIn('matrix', 'queued');
            return jobs.length === count && jobs;
          });
        const jobs = await queued(3);
        const runId = jobs[0]?.runId ?? 0;
        const runAll = async (attempt: number, count: number) => {
          for (let index = 0; index < count; index += 1) {
            const runner = { name: `davit-matrix-${attempt}-${index}`, labels: ['matrix'] };
            await world.runOneJob(await ci.register(scope, runner));
          }
          await until('the run is over', patienceMs, async () => (await world.conclusionOf('matrix')) !== undefined);
        };
        const rerun = async () =>
          ci.rerunFailed(
            repository,
            runId,
            jobs.map(({ jobId, attempt }) => ({ id: Number(jobId), attempt })),
          );

        await runAll(1, 3);
        const asked = await rerun();
        const again = await queued(2);
        const early = await rerun();
        await runAll(2, 2);
        await until('the re-run is over', patienceMs, async () => (await rerun()) !== 'running');
        const late = await rerun();

        expect(asked).toHaveLength(2);
        expect(jobs.map(({ jobId }) => jobId)).toEqual(
          expect.arrayContaining(typeof asked === 'string' ? [] : Array.from(asked)),
        );
        expect(again.map(({ attempt }) => attempt)).toEqual([2, 2]);
        expect(early === 'running' ? [] : early).toEqual([]);
        expect(late).toEqual([]);
        expect(await jobsIn('matrix', 'queued')).toEqual([]);
      },
    );

    test('a job that has succeeded is not run again', async () => {
      await world.queueJobs('fine', 'fine', ['true']);
      const { jobId, runId = 0, attempt } = await untilJob('fine', 'queued');
      await world.runOneJob(await ci.register(scope, { name: 'davit-fine', labels: ['fine'] }));

      const rerun = ci.rerunFailed({ owner: world.organization, name: 'fine' }, runId, [
        { id: Number(jobId), attempt },
      ]);
      expect(await rerun).toEqual([]);
    });

    (differs.hasNoStatuses ? test.skip : test)('a commit shows the status that was set', async () => {
      const sha = await world.queueJobs('status', 'nobody', ['true']);
      const repository = { owner: world.organization, name: 'status' };

      await ci.setCommitStatus(repository, { sha, state: 'pending', context: 'davit', description: 'no room' });

      expect(await world.statusesOf(repository, sha)).toContainEqual(
        expect.objectContaining({ context: 'davit', description: 'no room' }),
      );
    });

    test('an unknown credential is refused, and the error names the CI system and the call', async () => {
      const refused = world.stranger.register(scope, { name: 'davit-x', labels: ['x'] });

      await expect(refused).rejects.toMatchObject({ name: 'TerminalError', code: 'CiRefused' });
      await expect(refused).rejects.toThrow(/401/);
    });

    test('an organization that does not exist is refused', async () => {
      const nowhere = ci.findRunners({ organization: 'nowhere' }, 'davit');

      await expect(nowhere).rejects.toMatchObject({ name: 'TerminalError', code: 'CiRefused' });
    });

    test('removing a runner from an invisible organization fails: the runner may still exist', async () => {
      const removal = ci.removeIfIdle({ organization: 'nowhere' }, 1);

      await expect(removal).rejects.toMatchObject({ name: 'TerminalError', code: 'CiRefused' });
    });

    test('a CI system that does not answer is unavailable, and is unchanged when it is back', async () => {
      await world.fail();
      const unavailable = ci.findRunners(scope, 'davit-page-');

      await expect(unavailable).rejects.toMatchObject({ name: 'TransientError', code: 'CiUnavailable' });

      await world.resume();
      expect(await ci.findRunners(scope, 'davit-page-')).toHaveLength(103);
    });
  });
}
