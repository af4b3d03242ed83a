import { GitlabConfig } from '../../../../ci/gitlab/config.ts';
import { createGitlab } from '../../../../ci/gitlab/create-gitlab.ts';
import { everyOwner } from '../../../../core/ci/ci-scope.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { pollJob } from '../../../../logic/polling/poll-job.ts';
import { pollSystem } from '../../../../logic/polling/poll-system.ts';
import { endingOf } from '../../../contract/launch-fixtures.ts';
import type { FakeJob } from '../../../support/gitlab/gitlab-state.ts';
import { type FakeGitlab, startFakeGitlab } from '../../../support/gitlab/start-fake-gitlab.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { onlyUnendedLaunch, registerAgent, unendedLaunches } from '../../../support/polled-launches.ts';
import { makePolledWorld, type PolledWorld, reconciling, retireAsked } from './polled-world.ts';

const scope = { organization: everyOwner };
const startMs = Date.parse('2026-11-27T12:00:00Z');
let now: number;
let slept: number[];
let gitlab: FakeGitlab;
let system: ReturnType<typeof GitlabConfig.parse>;
let ci: ReturnType<typeof createGitlab>;
let deps: PolledWorld;
let reconcileOnce: () => Promise<void>;

beforeEach(async () => {
  now = startMs;
  slept = [];
  gitlab = await startFakeGitlab({ nowEpochMs: () => now });
  gitlab.state.addProject('acme/app');
  const secrets = { webhookSecret: 'hook', tokenSecret: 'token' };
  system = GitlabConfig.parse({ name: 'gitlab', provider: 'gitlab', url: gitlab.url, group: 'acme', ...secrets });
  open(60);
  const sleep = async (ms: number) => {
    slept.push(ms);
    now += ms;
  };
  const clock = { nowEpochMs: () => now, sleep };
  deps = makePolledWorld({ system, labels: ['linux', 'docker'], ciSystemOf: () => ci, ...clock });
  reconcileOnce = reconciling(deps);
});
afterEach(() => gitlab.stop());

function open(settleSeconds: number): void {
  const { url, token } = gitlab;
  ci = createGitlab({
    name: 'gitlab',
    url,
    group: 'acme',
    settleSeconds,
    readToken: async () => token,
    timeoutMs: 10_000,
    nowEpochMs: () => now,
  });
}

const queue = (name: string, project = 'acme/app') => gitlab.state.queue({ project, name, tags: ['linux'] });

/** Does what the function poll-ci does for a webhook. */
async function hook({ id, project }: FakeJob): Promise<boolean> {
  return pollJob(deps, system, { repositoryId: gitlab.state.projects.get(project) ?? 0, jobId: id });
}

async function poll(): Promise<readonly string[]> {
  return (await pollSystem(deps, system)).errors;
}

const live = () => unendedLaunches(deps);
const launchOfOnly = () => onlyUnendedLaunch(deps);

/** Registers the agent of a launch, as register-runner does. @returns its token in GitLab */
async function joined(launch: LaunchRecord): Promise<{ id: number; token: string }> {
  const { runner, environment } = await registerAgent(deps, ci, launch);
  return { id: runner.id, token: environment['GITLAB_RUNNER_TOKEN'] ?? '' };
}

/** Asks for a job, as a runner does. */
async function ask(token: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify({ token }) };
  return (await fetch(`${gitlab.url}/api/v4/jobs/request`, sent)).status;
}

/** A job that runs on the agent that was launched for it. */
async function running(name: string): Promise<{ job: FakeJob; launch: LaunchRecord; id: number; token: string }> {
  const job = queue(name);
  await hook(job);
  const launch = await launchOfOnly();
  const runner = await joined(launch);
  await ask(runner.token);
  await hook(job);
  return { job, launch, ...runner };
}

test('a webhook costs one request, launches once however often it comes, and a poll after it launches nothing', async () => {
  const job = queue('app');

  const first = await hook(job);
  const asked = gitlab.exchanges.map(({ method, path }) => `${method} ${path}`);
  const again = await hook(job);
  const errors = await poll();

  expect([first, again, errors]).toEqual([true, true, []]);
  expect(asked).toEqual([`GET /projects/${gitlab.state.projects.get('acme/app')}/jobs/${job.id}`]);
  expect((await launchOfOnly()).plan?.join).toMatchObject({ scope, labels: ['linux', 'docker'] });
});

test('a job that no profile takes, that has no tags, or that is of another group gets no agent', async () => {
  gitlab.state.addGroup('other');
  await hook(gitlab.state.queue({ project: 'acme/app', name: 'windows', tags: ['windows'] }));
  await hook(gitlab.state.queue({ project: 'acme/app', name: 'untagged', tags: [] }));
  await hook(queue('elsewhere', 'other/app'));
  await hook(queue('alike', 'acme-two/app'));

  expect(await live()).toEqual([]);
});

test('a runner gets no job after its first one, and is removed a minute after that was seen', async () => {
  const { job, launch, id, token } = await running('app');
  const runner = gitlab.state.runners.get(id);
  const paused = runner?.paused;
  const other = queue('other');
  const refused = await ask(token);
  now += 30_000;
  gitlab.state.set(job, 'success');

  await hook(job);
  const early = gitlab.state.runners.has(id);
  now += 29_000;
  await poll();
  const stillEarly = gitlab.state.runners.has(id);
  now += 1_000;
  await poll();

  expect([paused, refused, other.handedTo]).toEqual([true, 204, []]);
  expect(runner?.maintenanceNote).toBe('davit: no new job since 2026-11-27T12:00:00.000Z');
  expect([early, stillEarly, gitlab.state.runners.has(id)]).toEqual([true, true, false]);
  expect(await deps.launches.get(launch.launchId)).toMatchObject({
    ending: { by: 'gitlab workflow_job completed (success)' },
    deregisteredAtEpochMs: expect.any(Number),
  });
  // A poll that stood still for a minute would hold up all other jobs.
  expect(slept).toEqual([]);
});

test('a process that polls again and again follows a job that another one has handled for its webhooks', async () => {
  const before = await pollSystem(deps, system);
  const { job, id } = await running('app');
  gitlab.state.set(job, 'success');
  now += 60_000;

  await pollSystem(deps, system, before);

  expect(gitlab.state.runners.has(id)).toBe(false);
  expect(await live()).toEqual([]);
});

test('a job that GitLab does not show for a moment, as a replica that lags behind, is not over', async () => {
  const job = queue('app');
  await poll();
  const launch = await launchOfOnly();
  const { token } = await joined(launch);
  gitlab.state.jobs.pop();

  await poll();
  gitlab.state.jobs.push(job);
  await poll();
  const [record] = await deps.jobs.getMany([launch.plan?.jobKey ?? '']);
  await ask(token);

  expect(record).toMatchObject({ jobId: job.id, status: 'queued' });
  expect(deps.invokeLater.events['retire-runner']).toEqual([]);
  expect(job.status).toBe('running');
});

test('a job that GitLab has no more is over once reconciling says so, and its agent is retired', async () => {
  queue('app');
  await poll();
  const { id } = await joined(await launchOfOnly());
  gitlab.state.jobs.pop();
  await poll();
  now += 180_000;

  await reconcileOnce();
  await poll();
  now += 60_000;
  await retireAsked(deps);

  expect(gitlab.state.runners.has(id)).toBe(false);
  expect(await live()).toEqual([]);
});

test('a job that GitLab has no more while it ran ends its launch', async () => {
  const { id } = await running('app');
  await poll();
  gitlab.state.jobs.pop();
  now += 180_000;

  await reconcileOnce();
  await poll();
  now += 60_000;
  await poll();

  expect(gitlab.state.runners.has(id)).toBe(false);
  expect(await live()).toEqual([]);
});

test('an agent whose retirement could not be asked for still gets a job, which waits for its slot', async () => {
  const cancelled = queue('cancelled');
  await poll();
  const launch = await launchOfOnly();
  const { token } = await joined(launch);
  gitlab.state.cancel(cancelled);
  const down = () => Promise.reject(new Error('the queue of retirements is away'));
  const { errors } = await pollSystem({ ...deps, invokeLater: down }, system);
  const limited = makeProfile({ labels: ['linux', 'docker'], runner: 'gitlab', maxAgents: 1 });
  const { launchId } = launch;
  await deps.slots.hold('profile/linux', launchId, { launchId, repository: '', takenAtEpochMs: now });
  const next = queue('next');
  await pollSystem({ ...deps, profiles: [limited] }, system);

  const asked = await ask(token);

  expect(errors).toEqual([expect.stringContaining('the queue of retirements is away')]);
  expect([asked, next.status]).toEqual([201, 'running']);
});

test('a job that took the agent of another one is bound to that agent, and the other one gets a new agent', async () => {
  const expected = queue('expected');
  await hook(expected);
  const { launchId, ...launch } = await launchOfOnly();
  const { token } = await joined({ launchId, ...launch });
  gitlab.state.cancel(expected);
  const taker = queue('taker');
  await ask(token);

  await hook(taker);

  const records = await live();
  expect(records.find((record) => record.launchId === launchId)?.runs?.job).toMatchObject({ name: 'taker' });
  expect(records).toHaveLength(2);
});

test('a runner whose job was cancelled before its start, and that took another one at once, is kept until that is over', async () => {
  const cancelled = queue('cancelled');
  await hook(cancelled);
  const { id, token } = await joined(await launchOfOnly());
  await ask(token);
  gitlab.state.set(cancelled, 'canceled');
  const taken = queue('taken');
  await hook(taken);
  await ask(token);
  await hook(cancelled);
  await hook(taken);
  now += 120_000;
  await poll();
  const stays = gitlab.state.runners.has(id);
  gitlab.state.set(taken, 'success');
  await hook(taken);
  await poll();
  await retireAsked(deps);

  expect([cancelled.handedTo, taken.handedTo]).toEqual([[id], [id]]);
  expect([stays, gitlab.state.runners.has(id), gitlab.state.deletedBusy]).toEqual([true, false, []]);
});

describe('a job that GitLab hands to a runner after it was paused', () => {
  /** The agent's job was cancelled, and its request for a job is under way when davit pauses it. */
  async function pausedWhileItAsks(): Promise<FakeJob> {
    const cancelled = queue('cancelled');
    await hook(cancelled);
    const { token } = await joined(await launchOfOnly());
    gitlab.state.cancel(cancelled);
    await hook(cancelled);
    const looked = Promise.withResolvers<void>();
    const isToGoOn = Promise.withResolvers<void>();
    gitlab.handOut.between = async () => {
      looked.resolve();
      await isToGoOn.promise;
    };
    const asking = ask(token);
    await looked.promise;
    await poll();
    const late = queue('late');
    deps.sleep = async (ms) => {
      now += ms;
      if (ms === 0) return;
      isToGoOn.resolve();
      await asking;
    };
    const outcomes = await retireAsked(deps);
    isToGoOn.resolve();
    await asking;
    expect(outcomes).toHaveLength(1);
    return late;
  }

  test('goes on, because davit looks a minute later', async () => {
    const late = await pausedWhileItAsks();

    expect(late.status).toBe('running');
    expect(gitlab.state.deletedBusy).toEqual([]);
    expect(await live()).toHaveLength(1);
  });

  test('would be lost if davit looked at once', async () => {
    open(0);

    await pausedWhileItAsks();

    expect(gitlab.state.runners.size).toBe(0);
  });
});

test('a runner that somebody has brought back is paused again, and not removed before another minute', async () => {
  const { job, id } = await running('app');
  const runner = gitlab.state.runners.get(id);
  gitlab.state.set(job, 'success');
  now += 60_000;
  Object.assign(runner ?? {}, { paused: false });

  await poll();
  const isPaused = runner?.paused;
  await poll();
  const stays = gitlab.state.runners.has(id);
  now += 60_000;
  await poll();

  expect([isPaused, stays, gitlab.state.runners.has(id)]).toEqual([true, true, false]);
});

test('a runner without a live launch is paused by one round of reconciling, and removed by a later one', async () => {
  const job = queue('app');
  await hook(job);
  const launch = await launchOfOnly();
  const { id } = await joined(launch);
  gitlab.state.cancel(job);
  await hook(job);
  await deps.launches.end(launch.launchId, endingOf({ outcome: 'terminated', code: 'Terminated', atEpochMs: now }));
  now += 180_000;

  await reconcileOnce();
  const paused = gitlab.state.runners.get(id)?.paused;
  now += 59_000;
  await reconcileOnce();
  const stays = gitlab.state.runners.has(id);
  now += 1_000;
  await reconcileOnce();

  expect([paused, stays, gitlab.state.runners.has(id)]).toEqual([true, true, false]);
  expect(slept).toEqual([]);
});

describe('jobs of a project that GitLab shows no more', () => {
  test.each(['its CI/CD is off', 'it is deleted'])(
    'cost a poll no more than a few requests, and are followed: %s',
    async (why) => {
      const hidden = Array.from({ length: 120 }, (_, index) => queue(`hidden ${index}`, 'acme/hidden'));
      await poll();
      const id = gitlab.state.projects.get('acme/hidden') ?? 0;
      if (why === 'it is deleted') gitlab.state.projects.delete('acme/hidden');
      else gitlab.hiddenProjects.add('acme/hidden');

      const costs: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const before = gitlab.exchanges.length;
        now += 60_000;
        await poll();
        costs.push(gitlab.exchanges.length - before);
      }
      gitlab.state.projects.set('acme/hidden', id);
      gitlab.hiddenProjects.delete('acme/hidden');
      for (const job of hidden) gitlab.state.cancel(job);
      for (let round = 0; round < 3; round += 1) {
        now += 60_000;
        await poll();
      }

      expect(Math.max(...costs)).toBeLessThan(110);
      const waiting = await deps.jobs.listWaiting('gitlab');
      expect(waiting).toEqual([]);
    },
  );
});
