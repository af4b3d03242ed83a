import { createGitlab, type GitlabOptions } from '../../../../ci/gitlab/create-gitlab.ts';
import { everyOwner } from '../../../../core/ci/ci-scope.ts';
import { type FakeGitlab, startFakeGitlab } from '../../../support/gitlab/start-fake-gitlab.ts';

const scope = { organization: everyOwner };
const startMs = Date.parse('2026-11-27T12:00:00Z');
let now: number;
let gitlab: FakeGitlab;
let ci: ReturnType<typeof createGitlab>;

beforeEach(async () => {
  now = startMs;
  gitlab = await startFakeGitlab({ nowEpochMs: () => now });
  ci = open();
});
afterEach(async () => {
  await gitlab.stop();
});

function open(change: Partial<GitlabOptions> = {}): ReturnType<typeof createGitlab> {
  return createGitlab({
    name: 'gitlab',
    url: gitlab.url,
    group: 'acme',
    settleSeconds: 60,
    readToken: async () => gitlab.token,
    timeoutMs: 10_000,
    nowEpochMs: () => now,
    ...change,
  });
}

const asked = () => gitlab.exchanges.map(({ method, path }) => `${method} ${path}`);

/** Makes a runner that has got a job. */
async function busyRunner(name = 'davit-a'): Promise<number> {
  gitlab.state.queue({ project: 'acme/app', name: 'job', tags: ['linux'] });
  const { runner } = await ci.register(scope, { name, labels: ['linux'] });
  const made = gitlab.state.runners.get(runner.id);
  if (made !== undefined) gitlab.state.assign(made);
  return runner.id;
}

describe('a runner', () => {
  test('is made in the group, for jobs that ask for its tags alone, with its name as its description', async () => {
    const { runner, environment } = await ci.register(scope, { name: 'davit-a', labels: ['linux', 'docker'] });

    expect(gitlab.state.runners.get(runner.id)).toMatchObject({
      type: 'group_type',
      place: 'acme',
      description: 'davit-a',
      tags: ['linux', 'docker'],
      runUntagged: false,
      paused: false,
    });
    expect(environment).toEqual({
      GITLAB_URL: gitlab.url,
      GITLAB_RUNNER_NAME: 'davit-a',
      GITLAB_RUNNER_TOKEN: gitlab.state.runners.get(runner.id)?.token,
    });
  });

  test('is made in the project, where davit acts in one alone', async () => {
    gitlab.state.addProject('acme/app');

    const { runner } = await open({ group: undefined, project: 'acme/app' }).register(scope, {
      name: 'davit-a',
      labels: ['x'],
    });

    expect(gitlab.state.runners.get(runner.id)).toMatchObject({ type: 'project_type', place: 'acme/app' });
  });

  test('whose answer was lost is found by its name', async () => {
    const lost = await ci.register(scope, { name: 'davit-a', labels: ['x'] });
    await ci.register(scope, { name: 'davit-ab', labels: ['x'] });
    const again = await ci.register(scope, { name: 'davit-a', labels: ['x'] });

    expect(await ci.runnersNamed(scope, 'davit-a')).toEqual([lost.runner, again.runner]);
  });

  test('is paused once: a later call keeps the moment, which GitLab shows to everybody', async () => {
    const { runner } = await ci.register(scope, { name: 'davit-a', labels: ['x'] });
    const before = await ci.stoppedAtEpochMs?.(scope, runner.id);
    await ci.stopAssigning(scope, runner.id);
    now += 5_000;
    await ci.stopAssigning(scope, runner.id);
    const isLimited = await ci.limitToOneJob?.(scope, runner.id);

    expect(before).toBeUndefined();
    expect(isLimited).toBe(true);
    expect(await open().stoppedAtEpochMs?.(scope, runner.id)).toBe(startMs);
    // One pauses the runner, one notes since when.
    expect(asked().filter((request) => request.startsWith('PUT'))).toHaveLength(2);
  });

  test('that a person has paused is not known to be paused by davit, which pauses it with its own note', async () => {
    const { runner } = await ci.register(scope, { name: 'davit-a', labels: ['x'] });
    Object.assign(gitlab.state.runners.get(runner.id) ?? {}, { paused: true, maintenanceNote: 'disk full' });
    const before = await ci.stoppedAtEpochMs?.(scope, runner.id);

    await ci.stopAssigning(scope, runner.id);

    expect(before).toBeUndefined();
    expect(await ci.stoppedAtEpochMs?.(scope, runner.id)).toBe(startMs);
  });

  test('is noted as paused only from when GitLab has paused it, however slow the request was', async () => {
    const { runner } = await ci.register(scope, { name: 'davit-a', labels: ['x'] });
    const pausedAt: number[] = [];
    const slow = open({
      readToken: async () => {
        now += 5_000;
        if (gitlab.state.runners.get(runner.id)?.paused === true) pausedAt.push(now - 5_000);
        return gitlab.token;
      },
    });

    await slow.stopAssigning(scope, runner.id);
    const since = await slow.stoppedAtEpochMs?.(scope, runner.id);

    expect(since).toBeGreaterThanOrEqual(pausedAt[0] ?? Infinity);
  });

  test('of whose pause only the first request took effect is paused once more, with a new moment', async () => {
    const { runner } = await ci.register(scope, { name: 'davit-a', labels: ['x'] });
    await ci.stopAssigning(scope, runner.id);
    Object.assign(gitlab.state.runners.get(runner.id) ?? {}, { paused: false });
    let requests = 0;
    const dying = open({
      readToken: async () => {
        requests += 1;
        if (requests === 3) throw new Error('the function died');
        return gitlab.token;
      },
    });
    now += 90_000;
    const died = dying.stopAssigning(scope, runner.id);

    await expect(died).rejects.toThrow('the function died');
    expect(gitlab.state.runners.get(runner.id)?.paused).toBe(true);
    expect(await ci.stoppedAtEpochMs?.(scope, runner.id)).toBeUndefined();
    await ci.stopAssigning(scope, runner.id);
    expect(await ci.stoppedAtEpochMs?.(scope, runner.id)).toBe(startMs + 90_000);
  });

  test('that was brought back and paused once more is not removed before that pause has settled', async () => {
    const { runner } = await ci.register(scope, { name: 'davit-a', labels: ['x'] });
    await ci.stopAssigning(scope, runner.id);
    now += 30_000;
    Object.assign(gitlab.state.runners.get(runner.id) ?? {}, { paused: false });
    await open().stopAssigning(scope, runner.id);
    now += 30_000;
    const early = await ci.removeIfIdle(scope, runner.id);
    now += 30_000;

    expect([early, await ci.removeIfIdle(scope, runner.id)]).toEqual(['busy', 'removed']);
  });

  test('that is gone has been stopped for ever, and may have had a job', async () => {
    expect(await ci.stoppedAtEpochMs?.(scope, 999)).toBe(0);
    expect(await ci.mayHaveHadJob?.(scope, 999)).toBe(true);
    expect(await ci.removeIfIdle(scope, 999)).toBe('gone');
    expect(await ci.runningJob?.(scope, 999)).toBeUndefined();
  });

  test.each(['running', 'canceling'] as const)('whose job is %s is busy, by its own list of jobs', async (status) => {
    const id = await busyRunner();
    const [job] = gitlab.state.jobs;
    if (job !== undefined) gitlab.state.set(job, status);
    await ci.stopAssigning(scope, id);

    expect(await ci.removeIfIdle(scope, id)).toBe('busy');
    expect(await ci.runningJob?.(scope, id)).toMatchObject({
      jobId: job?.id,
      labels: ['linux'],
      status: 'in_progress',
    });
    expect(await ci.mayHaveHadJob?.(scope, id)).toBe(true);
  });

  test.each([{ isOld: false }, { isOld: true }])(
    'is listed with whether it is busy (an old GitLab: $isOld)',
    async ({ isOld }) => {
      gitlab.isOld = isOld;
      const busy = await busyRunner('davit-b');
      const { runner } = await ci.register(scope, { name: 'davit-a', labels: ['linux'] });
      await ci.register(scope, { name: 'other', labels: ['linux'] });

      expect(await ci.findRunners(scope, 'davit-')).toEqual([
        { id: busy, name: 'davit-b', isBusy: true },
        { ...runner, isBusy: false },
      ]);
      expect(asked().some((request) => request.endsWith('/jobs'))).toBe(isOld);
    },
  );
});

describe('jobs', () => {
  test('of all projects of the group and its subgroups are listed, oldest first, without those of a project that shows none', async () => {
    const first = gitlab.state.queue({ project: 'acme/tools/lib', name: 'lib', tags: ['linux', 'arm'] });
    const second = gitlab.state.queue({ project: 'acme/app', name: 'app', tags: [] });
    gitlab.state.queue({ project: 'other/app', name: 'other', tags: [] });
    gitlab.hiddenProjects.add('acme/off');
    gitlab.state.addProject('acme/off');

    const jobs = await ci.listJobs(scope, ['queued']);

    expect(jobs?.map(({ jobId }) => jobId)).toEqual([first.id, second.id]);
    expect(jobs?.[0]).toEqual({
      jobId: first.id,
      attempt: 1,
      name: 'lib',
      labels: ['arm', 'linux'],
      status: 'queued',
      repository: { owner: 'acme/tools', name: 'lib' },
      repositoryId: gitlab.state.projects.get('acme/tools/lib'),
      runId: first.pipelineId,
      sha: expect.any(String),
      queuedAtEpochMs: startMs,
      url: `${gitlab.url}/acme/tools/lib/-/jobs/${first.id}`,
    });
  });

  test('cannot be listed if no project shows its jobs: that is no empty queue', async () => {
    gitlab.state.queue({ project: 'acme/app', name: 'app', tags: [] });
    gitlab.hiddenProjects.add('acme/app');

    await expect(ci.listJobs(scope, ['queued'])).rejects.toMatchObject({ name: 'TerminalError', code: 'CiRefused' });
  });

  test('of more than a page are read to the end', async () => {
    for (let index = 0; index < 130; index += 1)
      gitlab.state.queue({ project: 'acme/app', name: `${index}`, tags: ['x'] });

    expect(await ci.listJobs(scope, ['queued'])).toHaveLength(130);
  });

  test.each([
    { status: 'created', seen: { status: 'waiting' } },
    { status: 'pending', seen: { status: 'queued' } },
    { status: 'running', seen: { status: 'in_progress' } },
    { status: 'canceling', seen: { status: 'in_progress' } },
    { status: 'success', seen: { status: 'completed', conclusion: 'success' } },
    { status: 'failed', seen: { status: 'completed', conclusion: 'failure' } },
    { status: 'canceled', seen: { status: 'completed', conclusion: 'cancelled' } },
  ] as const)('that are $status are read as such', async ({ status, seen }) => {
    const job = gitlab.state.queue({ project: 'acme/app', name: 'app', tags: [] });
    gitlab.state.set(job, status);

    expect(await ci.getJob({ owner: 'acme', name: 'app' }, job.id)).toEqual({ attempt: 1, ...seen });
  });

  test('of a later stage have waited since they became pending, not since their pipeline was made', async () => {
    const job = gitlab.state.queue({ project: 'acme/app', name: 'deploy', tags: ['linux'] });
    Object.assign(job, { status: 'created', queuedAtEpochMs: undefined });
    now += 600_000;
    gitlab.state.set(job, 'pending');
    now += 5_000;
    const queuedAt = async (status: 'queued' | 'in_progress') =>
      (await ci.listJobs(scope, [status]))?.map(({ queuedAtEpochMs }) => queuedAtEpochMs);

    const pending = await queuedAt('queued');
    gitlab.state.set(job, 'running');
    now += 60_000;

    expect([pending, await queuedAt('in_progress')]).toEqual([[startMs + 600_000], [startMs + 600_000]]);
  });

  test('that a webhook names are found by their ids, unless their project is not in the group', async () => {
    const own = gitlab.state.queue({ project: 'acme/app', name: 'app', tags: ['linux'] });
    const other = gitlab.state.queue({ project: 'acme-two/app', name: 'app', tags: ['linux'] });
    const named = ({ id, project }: typeof own) => ({
      repositoryId: gitlab.state.projects.get(project) ?? 0,
      jobId: id,
    });

    expect(await ci.findJob?.(named(own))).toMatchObject({ jobId: own.id, labels: ['linux'], status: 'queued' });
    expect(await ci.findJob?.(named(other))).toBeUndefined();
    expect(await ci.findJob?.({ repositoryId: 1, jobId: 1 })).toBeUndefined();
  });

  test('of a GitLab that calls itself otherwise are refused, with a hint', async () => {
    gitlab.state.queue({ project: 'acme/app', name: 'app', tags: [] });
    const renamed = open({ url: gitlab.url.replace('127.0.0.1', 'localhost') });

    await expect(renamed.listJobs(scope, ['queued'])).rejects.toThrow(/is external_url of this GitLab its url here\?$/);
  });
});

describe('running a failed job again', () => {
  const repository = { owner: 'acme', name: 'app' };
  const pipelineId = 77;
  const queue = (name: string) => gitlab.state.queue({ project: 'acme/app', name, tags: ['x'], pipelineId });
  const rerun = async (...ids: number[]) =>
    ci.rerunFailed(
      repository,
      pipelineId,
      ids.map((id) => ({ id, attempt: 1 })),
    );

  beforeEach(() => {
    gitlab.scopes.add('api');
  });

  test('makes another job of it, once, and leaves those alone that have not failed', async () => {
    const [failed, fine] = [queue('failed'), queue('fine')];
    gitlab.state.set(failed, 'failed');
    gitlab.state.set(fine, 'success');

    const first = await rerun(failed.id, fine.id);
    const again = await rerun(failed.id, fine.id);
    const second = gitlab.state.jobs.findLast(({ name }) => name === 'failed');
    if (second !== undefined) gitlab.state.set(second, 'failed');

    expect([first, again]).toEqual([[failed.id], []]);
    expect(second?.id).not.toBe(failed.id);
    expect(await rerun(second?.id ?? 0)).toEqual([]);
  });

  test('waits until it is over', async () => {
    expect(await rerun(queue('app').id)).toBe('running');
  });

  test('needs a scope more', async () => {
    gitlab.scopes.delete('api');
    const failed = queue('failed');
    gitlab.state.set(failed, 'failed');

    await expect(rerun(failed.id)).rejects.toThrow(
      `gitlab: job ${failed.id} is not run again: The request requires higher privileges than provided by the access token. One of these scopes is needed: api`,
    );
  });
});

describe('what GitLab refuses', () => {
  test.each([
    [403, { message: '403 Forbidden - No access granted' }, '403: 403 Forbidden - No access granted'],
    [400, { message: { tag_list: ['is too long'] } }, '400: {"tag_list":["is too long"]}'],
    [400, { error: 'status does not have a valid value' }, '400: status does not have a valid value'],
    [418, 'tea', ': 418'],
  ])('is told in its words: %d %j: %s', async (status, body, words) => {
    gitlab.failWith = { status, body };

    const refused = ci.findRunners(scope, 'davit-');

    await expect(refused).rejects.toMatchObject({ name: 'TerminalError', code: 'CiRefused' });
    await expect(refused).rejects.toThrow(words);
  });

  test('because it is asked too often is asked again only after the time in its answer', async () => {
    gitlab.failWith = { status: 429, headers: { 'retry-after': '42' }, body: { message: 'Retry later' } };
    const unavailable = { name: 'TransientError', code: 'CiUnavailable' };
    await expect(ci.findRunners(scope, 'davit-')).rejects.toMatchObject(unavailable);
    gitlab.failWith = undefined;
    const requests = gitlab.exchanges.length;

    await expect(ci.findRunners(scope, 'davit-')).rejects.toMatchObject(unavailable);
    const pausedUntil = ci.usage().pausedUntilEpochMs;
    now += 42_000;

    expect(pausedUntil).toBe(startMs + 42_000);
    expect(gitlab.exchanges).toHaveLength(requests);
    expect(await ci.findRunners(scope, 'davit-')).toEqual([]);
  });

  test('for an old token is asked once more with the new one', async () => {
    let token = 'old';
    const renewing = open({
      readToken: async () => token,
      renew: async () => {
        token = gitlab.token;
      },
    });

    expect(await renewing.findRunners(scope, 'davit-')).toEqual([]);
    expect(gitlab.exchanges.map(({ status }) => status)).toEqual([401, 200]);
  });
});

describe('the check of the rights', () => {
  test('makes a runner, pauses it, and leaves none', async () => {
    await ci.checkRunners?.();

    expect(gitlab.state.runners.size).toBe(0);
    expect(asked().map((request) => request.replace(/\d+/, 'N'))).toEqual([
      'GET /groups/acme/runners',
      'GET /groups/acme',
      'POST /user/runners',
      'PUT /runners/N',
      'GET /runners/N/jobs',
      'DELETE /runners/N',
    ]);
  });

  test.each([false, true])('deletes what a killed one left, and nothing else (an old GitLab: %s)', async (isOld) => {
    gitlab.isOld = isOld;
    const left = { type: 'group_type', place: 'acme', tags: ['davit-check'], runUntagged: false } as const;
    const leave = (description: string, tags: readonly string[] = left.tags) =>
      gitlab.state.addRunner({ ...left, tags, description, paused: false, maintenanceNote: null });
    leave('davit-check');
    leave('davit-check');
    const busy = leave('davit-check', ['linux']);
    const others = ['davit-check-2', 'davit-0a1b2c3d-gitlab-12-345-1'].map((name) => leave(name));
    gitlab.state.queue({ project: 'acme/app', name: 'job', tags: ['linux'] });
    gitlab.state.assign(busy);

    await ci.checkRunners?.();

    expect([...gitlab.state.runners.keys()]).toEqual([busy, ...others].map(({ id }) => id));
  });

  test.each(['create_runner', 'manage_runner', 'read_api'])('fails without %s, and names it', async (missing) => {
    gitlab.scopes.delete(missing);

    await expect(ci.checkRunners?.()).rejects.toThrow(missing);
  });
});
