import { createForgejo } from '../../../../ci/forgejo/create-forgejo.ts';
import { everyOwner } from '../../../../core/ci/ci-scope.ts';
import type { FakeJob, FakeRunner } from '../../../support/forgejo/forgejo-state.ts';
import { type FakeForgejo, startFakeForgejo } from '../../../support/forgejo/start-fake-forgejo.ts';

const scope = { organization: everyOwner };
const repository = { owner: 'acme', name: 'app' };
const name = 'davit-0a1b2c3d-x';
let nowEpochMs = 0;
let forgejo: FakeForgejo;
let ci: ReturnType<typeof createForgejo>;
/** What happens while the adapter watches a runner. */
let meanwhile: () => void;

async function start(version: 15 | 16): Promise<void> {
  await forgejo?.stop();
  nowEpochMs = Date.parse('2026-11-27T10:00:00Z');
  forgejo = await startFakeForgejo({ nowEpochMs: () => nowEpochMs, version });
  const readToken = async () => forgejo.token;
  meanwhile = () => {};
  const sleep = async (ms: number) => {
    nowEpochMs += ms;
    meanwhile();
  };
  const at = { name: 'forgejo', url: forgejo.url, scope: forgejo.scope };
  ci = createForgejo({ ...at, readToken, timeoutMs: 10_000, sleep });
}
beforeEach(() => start(15));
afterAll(() => forgejo.stop());

/** Queues a job, registers a runner for it, and has its agent declare its labels. */
async function registered(): Promise<{ job: FakeJob; runner: FakeRunner }> {
  const job = forgejo.state.enqueue();
  const registration = await ci.register(scope, { name, labels: ['linux'], pinnedTo: job.handle });
  const runner = forgejo.state.runners.get(registration.runner.id);
  if (runner === undefined) throw new Error('not registered');
  runner.labels = ['linux'];
  runner.lastOnlineEpochMs = nowEpochMs;
  return { job, runner };
}

/** Has a runner's agent take its job, and report once. */
function take(runner: FakeRunner, job: FakeJob): void {
  if (forgejo.state.take(runner, job.handle) !== job) throw new Error('not taken');
  forgejo.state.noteActive(runner);
}

/** A job that its agent has taken. */
async function taken(): Promise<{ job: FakeJob; runner: FakeRunner }> {
  const { job, runner } = await registered();
  take(runner, job);
  return { job, runner };
}

test('a job that waits is listed by the handle of its attempt, with its labels and its repository', async () => {
  const { handle, repositoryId } = forgejo.state.enqueue({ repository: 'web', name: 'test', runsOn: ['linux', 'gpu'] });

  expect(await ci.listJobs(scope, ['queued'])).toEqual([
    {
      jobId: handle,
      attempt: 1,
      repository: { owner: 'acme', name: 'web' },
      repositoryId,
      name: 'test',
      labels: ['linux', 'gpu'],
      status: 'queued',
      url: `${forgejo.url}/acme/web/actions`,
    },
  ]);
});

test('Forgejo 16 also says which run a job is part of', async () => {
  await start(16);
  const { runId } = forgejo.state.enqueue();

  expect(await ci.listJobs(scope, ['queued'])).toMatchObject([{ runId }]);
});

test('a job is listed in the statuses that are asked for, and one without a handle is not', async () => {
  const [waits, runs, old] = [forgejo.state.enqueue(), forgejo.state.enqueue(), forgejo.state.enqueue()];
  forgejo.state.takeElsewhere(runs);
  old.handle = '';

  const ids = async (...statuses: Parameters<typeof ci.listJobs>[1]) =>
    (await ci.listJobs(scope, statuses))?.map(({ jobId }) => jobId);

  expect(await ids('queued')).toEqual([waits.handle]);
  expect(await ids('in_progress')).toEqual([runs.handle]);
  expect(await ids('queued', 'in_progress')).toEqual([waits.handle, runs.handle]);
});

test('the name of a repository is asked for once, and a job whose repository is not shown is listed once it is', async () => {
  const [first, , third] = [
    forgejo.state.enqueue(),
    forgejo.state.enqueue(),
    forgejo.state.enqueue({ repository: 'gone' }),
  ];
  forgejo.state.repositories.delete([...forgejo.state.repositories.keys()].at(-1) ?? 0);

  await ci.listJobs(scope, ['queued']);
  const jobs = await ci.listJobs(scope, ['queued']);
  forgejo.state.repositories.set(third?.repositoryId ?? 0, 'acme/back');
  const later = await ci.listJobs(scope, ['queued']);

  expect(jobs?.map((job) => job.repository.name)).toEqual(['app', 'app']);
  expect(later?.map((job) => job.repository.name)).toEqual(['app', 'app', 'back']);
  expect(forgejo.exchanges.filter(({ path }) => path.endsWith(`/repositories/${first?.repositoryId}`))).toHaveLength(1);
});

test('runners with one name are all found, over pages, and no others', async () => {
  for (let count = 0; count < 60; count += 1) forgejo.state.register(`other-${count}`, true);
  const [one, two] = [forgejo.state.register(name, true), forgejo.state.register(name, true)];

  const found = await ci.runnersNamed(scope, name);
  const listed = await ci.findRunners(scope, 'davit-0a1b2c3d-');

  expect(found.map(({ id }) => id)).toEqual([one.id, two.id]);
  expect(listed).toEqual(found);
});

describe('a job that is asked for by its handle', () => {
  test('waits, runs, and is not there in a repository that Forgejo does not show', async () => {
    const job = forgejo.state.enqueue();
    const waits = await ci.getJob(repository, job.handle);
    forgejo.state.takeElsewhere(job);
    const runs = await ci.getJob(repository, job.handle);

    expect([waits, runs]).toEqual([
      { attempt: 1, status: 'queued' },
      { attempt: 1, status: 'in_progress' },
    ]);
    await expect(ci.getJob({ owner: 'acme', name: 'hidden' }, job.handle)).rejects.toMatchObject({ code: 'CiRefused' });
  });

  test('runs on when the list of all jobs lacks it: its repository has it', async () => {
    const job = forgejo.state.enqueue();
    forgejo.state.missing.organization.add(job.handle);

    expect(await ci.listJobs(scope, ['queued'])).toEqual([]);
    expect(await ci.getJob(repository, job.handle)).toMatchObject({ status: 'queued' });
  });

  test.each([15, 16] as const)(
    'of Forgejo %d runs on when both lists lack it, while its agent is at work or has been seen at it',
    async (version) => {
      await start(version);
      const { job, runner: own } = await taken();
      for (const list of Object.values(forgejo.state.missing)) list.add(job.handle);
      const runId = version === 15 ? {} : { runId: job.runId };

      const active = await ci.getJob(repository, job.handle, { attempt: 1, own, ...runId });
      nowEpochMs += 120_000;
      const silent = await ci.getJob(repository, job.handle, { attempt: 1, own, runner: own, ...runId });

      expect([active?.status, silent?.status]).toEqual(['in_progress', 'in_progress']);
    },
  );

  test('is over in the words of Forgejo 16, and so is an attempt before the latest', async () => {
    await start(16);
    const job = forgejo.state.enqueue();
    const [{ handle, runId }] = [{ ...job }];
    forgejo.state.cancel(job);

    const cancelled = await ci.getJob(repository, handle, { attempt: 1, runId });
    forgejo.state.rerun(job);
    const earlier = await ci.getJob(repository, handle, { attempt: 1, runId });

    expect(cancelled).toEqual({ attempt: 1, status: 'completed', conclusion: 'cancelled' });
    expect(earlier).toEqual({ attempt: 1, status: 'completed' });
  });

  test('is over when its whole run is, as far as Forgejo 15 names the run', async () => {
    const { job, runner: own } = await taken();
    const known = { attempt: 1, own, runner: own, runId: job.runId };
    for (const list of Object.values(forgejo.state.missing)) list.add(job.handle);
    const before = await ci.getJob(repository, job.handle, known);
    job.status = 'failure';

    expect([before?.status, (await ci.getJob(repository, job.handle, known))?.status]).toEqual([
      'in_progress',
      'completed',
    ]);
  });
});

describe('a runner', () => {
  test('that reports has taken its job, one that is idle has not, and one that is offline may have', async () => {
    const { job, runner } = await registered();
    const status = () => ci.pinned.runnerStatus(scope, runner.id);

    const idle = await status();
    take(runner, job);
    const active = await status();
    nowEpochMs += 61_000;
    const offline = await status();
    forgejo.state.finish(runner, 'success');

    expect([idle, active, offline, await status()]).toEqual(['idle', 'active', undefined, 'gone']);
  });

  test('that runs its job stays, also when its reports are late or its network is down', async () => {
    const { job, runner } = await taken();

    const active = await ci.removeIfIdle(scope, runner.id, job.handle);
    const ofNobody = await ci.removeIfIdle(scope, runner.id);
    nowEpochMs += 30_000;
    const late = await ci.removeIfIdle(scope, runner.id, job.handle);
    nowEpochMs += 60_000;
    await ci.stopAssigning(scope, runner.id);
    const offline = await ci.removeIfIdle(scope, runner.id, job.handle);

    expect([active, ofNobody, late, offline]).toEqual(['busy', 'busy', 'busy', 'busy']);
    expect(await ci.getRunner(scope, runner.id)).toEqual({ id: runner.id, name });
  });

  test('that got its job after it was asked about stays, although it has not reported yet', async () => {
    const { job, runner } = await registered();
    await ci.stopAssigning(scope, runner.id);
    forgejo.state.take(runner, job.handle);
    const before = nowEpochMs;

    expect(await ci.removeIfIdle(scope, runner.id, job.handle)).toBe('busy');
    expect(nowEpochMs).toBe(before);
  });

  test('whose agent waits on while its job runs elsewhere is removed', async () => {
    const { job, runner } = await registered();
    forgejo.state.takeElsewhere(job);
    meanwhile = () => (runner.lastOnlineEpochMs = nowEpochMs);
    await ci.stopAssigning(scope, runner.id);
    nowEpochMs += ci.settleMs;

    expect(await ci.removeIfIdle(scope, runner.id, job.handle)).toBe('removed');
  });

  test.each([
    ['stay away', () => {}],
    [
      'come again',
      (runner: FakeRunner) => runner.lastActiveEpochMs < nowEpochMs - 50_000 && forgejo.state.noteActive(runner),
    ],
  ])('that runs its job stays when its reports %s', async (_what, after) => {
    const { job, runner } = await taken();
    nowEpochMs += 20_000;
    meanwhile = () => void after(runner);
    await ci.stopAssigning(scope, runner.id);
    nowEpochMs += ci.settleMs;

    expect(await ci.removeIfIdle(scope, runner.id, job.handle)).toBe('busy');
  });

  test('is gone only if Forgejo shows its place', async () => {
    const { runner } = await registered();
    const hidden = createForgejo({
      name: 'forgejo',
      url: forgejo.url,
      scope: 'orgs/other',
      readToken: async () => forgejo.token,
      timeoutMs: 10_000,
    });

    await expect(hidden.getRunner(scope, runner.id)).rejects.toMatchObject({ code: 'CiRefused' });
  });
});

test('a check registers a runner and leaves none', async () => {
  await ci.checkRunners?.();

  expect(forgejo.exchanges.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'GET', 'DELETE']);
  expect(forgejo.state.runners.size).toBe(0);
});

test('a check deletes what a killed one left, and nothing else', async () => {
  const [, , busy, ...others] = ['davit-doctor', 'davit-doctor', 'davit-doctor', 'davit-doctors', 'davit-a'].map(
    (each) => forgejo.state.register(each, true),
  );
  if (busy !== undefined) {
    forgejo.state.runnerBy(busy.uuid, busy.token);
    forgejo.state.noteActive(busy);
  }

  await ci.checkRunners?.();

  expect([...forgejo.state.runners.keys()]).toEqual([busy, ...others].map((runner) => runner?.id));
});

test('a check finds a token that may not read the names of repositories', async () => {
  forgejo.mayReadRepositories = false;

  await expect(ci.checkRunners?.()).rejects.toMatchObject({
    code: 'CiRefused',
    detail: expect.stringContaining('403: token does not have at least one of required scope(s)'),
  });
});
