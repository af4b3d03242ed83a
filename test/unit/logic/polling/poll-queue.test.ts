import { createGithub } from '../../../../ci/github/create-github.ts';
import { byToken } from '../../../../ci/github/github-authorization.ts';
import { withScaleSet } from '../../../../ci/github/with-scale-set.ts';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { scaleSetOf } from '../../../../core/ci/ci-systems.ts';
import { isLive, type LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { GithubJob } from '../../../../local/github/github-state.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqlitePollCursors } from '../../../../local/store/sqlite-ci-memory.ts';
import type { QueueDeps } from '../../../../logic/polling/poll-deps.ts';
import { pollQueue } from '../../../../logic/polling/poll-queue.ts';
import { makeLaunchDeps, type TestLaunchDeps } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { registerAgent, unendedLaunches } from '../../../support/polled-launches.ts';
import { type FakeScaleSets, startFakeScaleSets } from '../../../support/scale-set/start-fake-scale-set.ts';

/** Longer than the fake waits for a message. */
const waitMs = 5000;
const scope = { organization: 'acme' };
const profile = makeProfile({ name: 'linux', labels: ['linux', 'x64'], runner: 'github' });
const others = makeProfile({ name: 'small', labels: ['linux'], runner: 'github' });

let fake: FakeScaleSets;
let system: CiSystemConfig;
let deps: QueueDeps & TestLaunchDeps;

beforeEach(async () => {
  fake = await startFakeScaleSets('acme');
  fake.holdMs = 20;
  const scaleSet = { organization: 'acme', profile: 'linux', name: 'davit-linux' };
  const entry = { name: 'hub', provider: 'github', url: fake.url, webhookSecret: 'hook', tokenSecret: 'token' };
  system = CiSystemConfig.parse({ ...entry, events: 'scaleSet', scaleSet });
  deps = newProcess({
    ...makeLaunchDeps({ profiles: [others, profile], ciSystems: [system], nowEpochMs: Date.now }),
    cursors: sqlitePollCursors(openStore(':memory:')),
    sleep: async () => {},
  });
  await poll();
});
afterEach(async () => {
  await fake.stop();
});

/** The same records and cursor, with the memory of a process that has just begun. */
function newProcess(from: Omit<QueueDeps & TestLaunchDeps, 'ciSystemOf' | 'queueHolder'>, holder = 'one') {
  const { url, github } = fake;
  const access = { name: 'hub', url, apiUrl: `${url}/api/v3`, ...byToken(async () => github.token), timeoutMs: 5000 };
  const set = scaleSetOf(system);
  if (set === undefined) throw new Error('there is no scale set');
  const ci = withScaleSet(createGithub(access), { ...access, set, sleep: async () => {} });
  return { ...from, ciSystemOf: () => ci, ci, queueHolder: holder } as QueueDeps & TestLaunchDeps & { ci: typeof ci };
}

const ciOf = () => deps.ciSystemOf('hub') as ReturnType<typeof newProcess>['ci'];
const poll = () => pollQueue(deps, system, waitMs);
const launches = () => unendedLaunches(deps);
const cursor = async () => (await deps.cursors.get('hub')).cursor.queue;
/** Queues a run whose jobs have these names. */
const queueRun = (names: readonly string[], labels = ['linux', 'x64']) =>
  fake.github.state.queueRun(
    'acme',
    'app',
    names.map((name) => ({ name, labels, steps: [] })),
  );
const queueJob = (name = 'build', labels?: string[]): GithubJob => queueRun([name], labels)[0];

/** Registers the agent of a launch, as connect does. */
async function connect(launch: LaunchRecord): Promise<number> {
  return (await registerAgent(deps, ciOf(), launch)).runner.id;
}

/** The error of a call that fails. */
const refusalOf = (call: Promise<unknown>): Promise<unknown> => call.then(JSON.stringify, (error: unknown) => error);

/** Has agents of other launches hold slots of the profile. */
async function holdSlots(...launchIds: string[]): Promise<void> {
  for (const launchId of launchIds) {
    await deps.slots.hold('profile/linux', launchId, { launchId, repository: '', takenAtEpochMs: Date.now() });
  }
}

/** Has a job assigned and its agent connected. */
async function assigned(name?: string): Promise<{ job: GithubJob; launch: LaunchRecord; runnerId: number }> {
  const job = queueJob(name);
  await poll();
  const launch = (await launches()).find(({ plan }) => plan?.jobKey?.includes(`/${job.id}/`));
  if (launch === undefined) throw new Error('it has no launch');
  return { job, launch, runnerId: await connect(launch) };
}

function runnerOf(id: number) {
  const runner = fake.github.state.runners.get(id);
  if (runner === undefined) throw new Error(`there is no runner ${id}`);
  return runner;
}

test('makes the set with the labels of its profile, and a job of it gets an agent, binds it and ends its launch', async () => {
  const { launch, runnerId } = await assigned();
  const runner = runnerOf(runnerId);
  fake.github.state.assign(runner);
  await poll();
  const bound = await deps.launches.get(launch.launchId);
  fake.github.state.complete(runner, true);
  await poll();

  expect(fake.sets).toMatchObject([
    { name: 'davit-linux', runnerGroupId: 1, labels: [{ name: 'linux' }, { name: 'x64' }] },
  ]);
  expect(launch.plan).toMatchObject({ profile: 'linux', join: { ciSystem: 'hub', scope, labels: ['linux', 'x64'] } });
  expect(bound?.runs?.jobKey).toBe(launch.plan?.jobKey);
  expect(await deps.launches.get(launch.launchId)).toMatchObject({ ending: { message: 'the job completed: success' } });
  expect(fake.queue.messages).toEqual([]);
});

test("a job that another profile has the labels for gets an agent of the set's profile", async () => {
  queueJob('plain', ['linux']);

  await poll();

  expect((await launches()).map(({ plan }) => plan?.profile)).toEqual(['linux']);
});

test('a message whose process died before the acknowledgement comes again, and changes nothing', async () => {
  const job = queueJob();
  fake.before = async (method) => {
    if (method === 'DELETE') throw new Error('the process dies');
  };
  const died = await refusalOf(poll());
  const before = await launches();
  fake.before = undefined;
  deps = newProcess(deps);

  const again = await poll();

  expect(String(died)).toContain('CiUnavailable');
  expect(before).toHaveLength(1);
  expect(await launches()).toEqual(before);
  expect(again).toMatchObject({ queued: 1, errors: [] });
  expect((await deps.jobs.getMany([before[0]?.plan?.jobKey ?? '']))[0]).toMatchObject({ jobId: job.id, launches: 1 });
  expect(fake.queue.messages).toEqual([]);
});

test('a message that a table refuses to store stays, and is handled when the table answers', async () => {
  queueJob();
  const down = { ...deps.jobs, note: () => Promise.reject(new Error('the table is away')) };

  const failed = await refusalOf(pollQueue({ ...deps, jobs: down }, system, waitMs));
  const left = fake.queue.messages.length;
  await poll();

  expect(String(failed)).toContain('the table is away');
  expect([left, fake.queue.messages.length, (await launches()).length]).toEqual([1, 0, 1]);
});

test('a new process goes on with the session; while somebody else has one it says so, and takes over when it ends', async () => {
  const { id } = fake.session ?? {};
  deps = newProcess(deps);
  await poll();
  const kept = fake.session?.id;
  fake.session = { id: 'of another', token: 'x' };
  deps = newProcess(deps);
  const taken = await refusalOf(poll());
  fake.session = undefined;
  queueJob();
  await poll();

  expect(kept).toBe(id);
  expect(String(taken)).toMatch(/another davit, or another program, has the session of the scale set davit-linux/);
  expect(await launches()).toHaveLength(1);
  expect((await cursor())?.sessionId).toBe(fake.session === undefined ? '' : (fake.session as { id: string }).id);
});

test('a session that could not be stored is gone on with, not taken for that of somebody else', async () => {
  Object.assign(fake, { session: undefined });
  const cursors = sqlitePollCursors(openStore(':memory:'));
  deps = newProcess(deps);
  let failures = 0;
  deps.cursors = {
    ...cursors,
    keep: async (...call) => {
      if (call[1].queue?.sessionId === undefined || failures > 1) return cursors.keep(...call);
      failures += 1;
      throw new Error('the table is away');
    },
  };
  const failed = await refusalOf(poll());
  const { id } = fake.session ?? {};

  const again = await poll();

  expect(String(failed)).toContain('the table is away');
  expect(again.errors).toEqual([]);
  expect((await cursor())?.sessionId).toBe(id);
});

test('one process reads the queue at a time, until its lease ends', async () => {
  const other = newProcess(deps, 'two');
  fake.holdMs = 1000;
  const reading = refusalOf(pollQueue(deps, system, 1000));
  await new Promise((resolve) => setTimeout(resolve, 200));

  const refused = await refusalOf(pollQueue(other, system, waitMs));
  const later = pollQueue({ ...other, nowEpochMs: () => Date.now() + 60_000 }, system, waitMs);

  expect(String(refused)).toMatch(/another process of davit reads its queue, until .* at most/);
  expect(await later).toMatchObject({ errors: [] });
  // Its lease has ended, so it stores nothing.
  expect(String(await reading)).toMatch(/another process has its queue/);
});

test("a session's token that is no longer valid is replaced, and so is davit's", async () => {
  queueJob();
  fake.session = { id: fake.session?.id ?? '', token: 'another' };
  await poll();
  fake.refusedIntroductions = 2;
  const before = fake.requests.length;
  deps = newProcess(deps);
  await poll();

  expect(await launches()).toHaveLength(1);
  expect(fake.requests.filter((request) => request.startsWith('GET /queue') && request.endsWith('401'))).toHaveLength(
    1,
  );
  expect(fake.requests.slice(before).filter((request) => request.includes('runner-registration'))).toEqual([
    'POST /actions/runner-registration 401',
    'POST /actions/runner-registration 401',
    'POST /actions/runner-registration 200',
  ]);
});

test('news in the wrong order end with what the list of jobs says', async () => {
  const { job, launch, runnerId } = await assigned();
  fake.github.state.assign(runnerOf(runnerId));
  fake.github.state.complete(runnerOf(runnerId), true);
  fake.queue.messages.reverse();
  for (const [index, message] of fake.queue.messages.entries()) message.messageId = 100 + index;

  await poll();
  await poll();
  const [record] = await deps.jobs.getMany([launch.plan?.jobKey ?? '']);

  expect(record).toMatchObject({ jobId: job.id, status: 'completed', conclusion: 'success', ranBy: launch.launchId });
  expect(isLive(await deps.launches.get(launch.launchId))).toBe(false);
});

test('an assignment that ended is no job that ended: its agent stays, and the job is not asked for twice', async () => {
  const { job, launch } = await assigned();

  fake.queue.completed(job, 'canceled');
  await poll();
  await poll();

  expect((await launches()).map(({ launchId }) => launchId)).toEqual([launch.launchId]);
});

test('a message that calls a job completed ends no agent whose runner is still there', async () => {
  const { job, launch, runnerId } = await assigned();
  fake.github.state.assign(runnerOf(runnerId));
  await poll();

  fake.queue.completed(job, 'canceled');
  await poll();

  expect((await launches()).map(({ launchId }) => launchId)).toEqual([launch.launchId]);
});

test('late news of a job are not those of its next attempt, which waits', async () => {
  const { job, runnerId } = await assigned();
  fake.github.state.assign(runnerOf(runnerId));
  fake.github.state.complete(runnerOf(runnerId), false);
  fake.github.state.rerun(job, 2);
  const again = fake.github.state.jobs.find(({ attempt }) => attempt === 2);

  const polls = [await poll(), await poll(), await poll()];
  const launch = (await launches()).find(({ plan }) => plan?.jobKey?.includes(`/${again?.id}/`));
  const [record] = await deps.jobs.getMany([launch?.plan?.jobKey ?? '']);

  expect(record).toMatchObject({ jobId: again?.id, attempt: 2, status: 'queued', launches: 1 });
  expect(record?.runner).toBeUndefined();
  expect(polls.flatMap(({ errors }) => errors)).toEqual([]);
});

test('the end of an assignment is not the end of its job, although the runner is gone that had it', async () => {
  const { job, launch, runnerId } = await assigned();
  const { id, name } = runnerOf(runnerId);
  fake.github.state.remove(runnerOf(runnerId));
  const entry = { messageType: 'JobCompleted', ownerName: 'acme', repositoryName: 'app', workflowRunId: job.runId };
  fake.queue.sendRaw(JSON.stringify([{ ...entry, jobDisplayName: job.name, runnerId: id, runnerName: name }]));

  await poll();

  const [record] = await deps.jobs.getMany([launch.plan?.jobKey ?? '']);
  expect(record).toMatchObject({ jobId: job.id, status: 'queued' });
});

test('tells GitHub how many jobs its limits leave room for, and none where there is no room', async () => {
  deps = { ...deps, profiles: [{ ...profile, maxAgents: 2 }] };
  await poll();
  const capacity = fake.queue.capacity;
  for (const name of ['one', 'two', 'three']) queueJob(name);
  for (let polls = 0; polls < 4; polls += 1) await poll();
  const running = await launches();
  await holdSlots('api-1', 'api-2');
  await poll();

  expect([capacity, running.length, fake.queue.assigned]).toEqual([2, 2, 2]);
  expect(fake.queue.capacity).toBe(0);
});

test('an agent of a CI system whose name begins as this one takes room, too', async () => {
  const ciSystems = [system, { ...system, name: 'hub-two' }];
  deps = { ...deps, ciSystems, profiles: [{ ...profile, maxAgents: 2 }] };
  await holdSlots('hub-7-1-1', 'hub-two-7-1-1');

  await poll();

  expect(fake.queue.capacity).toBe(1);
});

test('acquires as many offered jobs as there is room for, and the next when there is room; one is cancelled before', async () => {
  deps = { ...deps, profiles: [{ ...profile, maxAgents: 2 }] };
  fake.queue.offers = true;
  await poll();
  // Two of them are offered although there is no room, as by a service that has not heard of the capacity yet.
  fake.queue.capacity = 4;
  const jobs = queueRun(['one', 'two', 'three', 'four'], ['linux']);
  for (let polls = 0; polls < 6; polls += 1) await poll();
  const first = await launches();
  const kept = (await cursor())?.offers;
  // The first two are over, the third one is cancelled before davit asks for it.
  for (const job of jobs.slice(0, 3)) Object.assign(job, { status: 'completed', conclusion: 'cancelled' });
  for (const job of jobs.slice(0, 2)) fake.queue.completed(job, 'canceled');
  const held = await deps.slots.get('profile/linux');
  for (const holder of held.keys()) await deps.slots.free('profile/linux', holder);
  for (let polls = 0; polls < 4; polls += 1) await poll();

  expect([first.map(({ plan }) => plan?.profile), kept]).toEqual([
    ['linux', 'linux'],
    [jobs[2]?.id, jobs[3]?.id],
  ]);
  expect((await launches()).map(({ plan }) => plan?.jobKey?.split('/')[2])).toContain(`${jobs[3]?.id}`);
  expect((await cursor())?.offers).toBeUndefined();
  expect(fake.queue.assigned).toBe(1);
});

test('a runner that runs a job is not removed, one that is idle is, and one that is gone is gone', async () => {
  const busy = await assigned('busy');
  fake.github.state.assign(runnerOf(busy.runnerId));
  await poll();
  const idle = await assigned('idle');
  const remove = (id: number) => ciOf().removeIfIdle(scope, id);

  expect([await remove(busy.runnerId), await remove(idle.runnerId), await remove(idle.runnerId)]).toEqual([
    'busy',
    'removed',
    'gone',
  ]);
  expect(await ciOf().getRunner(scope, idle.runnerId)).toBeUndefined();
  expect(await ciOf().runnersNamed(scope, runnerOf(busy.runnerId).name)).toMatchObject([{ id: busy.runnerId }]);
  const name = runnerOf(busy.runnerId).name;
  expect(await refusalOf(ciOf().register(scope, { name, labels: ['linux', 'x64'] }))).toMatchObject({
    code: 'WriteConflict',
  });
});

test('a part that cannot be read is told and left out, and a message that can never be handled holds up no other', async () => {
  fake.queue.sendRaw('[{"messageType":"JobAssigned","ownerName":"acme"},{"messageType":"JobPolished"},7]');
  fake.queue.sendRaw('no list');
  const hidden = queueJob('hidden');
  hidden.repository = 'elsewhere';
  const told = [await poll(), await poll(), await poll()].flatMap(({ errors }) => errors);
  queueJob();
  await poll();

  expect(told).toEqual([
    expect.stringMatching(/^hub: message \d+: cannot be read: JobAssigned: repositoryName, workflowRunId/),
    expect.stringMatching(/^hub: message \d+: cannot be read: a message RunnerScaleSetJobMessages that is no list/),
    expect.stringMatching(/^hub: run \d+ of acme\/app: .*404/),
  ]);
  expect(await launches()).toHaveLength(1);
});

test('a backlog that a message has no room for is read from the run', async () => {
  fake.queue.capacity = 0;
  const names = Array.from({ length: 60 }, (_, index) => `job${index}`);
  queueRun(names, ['linux']);

  await poll();

  expect(await launches()).toHaveLength(60);
});

test('a set that GitHub has removed is made again, with a session of its own', async () => {
  fake.sets.splice(0);
  fake.session = undefined;
  deps = newProcess(deps);

  await poll();
  queueJob();
  await poll();

  expect(fake.sets).toHaveLength(1);
  expect(await launches()).toHaveLength(1);
});

test('a set that a person removes is free for another davit, whose predecessor never ended its session', async () => {
  const another = newProcess({ ...deps, cursors: sqlitePollCursors(openStore(':memory:')) }, 'two');
  const before = await refusalOf(pollQueue(another, system, waitMs));

  const removed = await ciOf().removeQueue(undefined);
  await pollQueue(another, system, waitMs);
  queueJob();
  await pollQueue(another, system, waitMs);

  expect(String(before)).toContain('another davit, or another program, has the session');
  expect(removed).toBe('removed');
  expect(await launches()).toHaveLength(1);
});

test('a set whose profile has other labels now gets them, and not those of an older launch', async () => {
  deps = newProcess({ ...deps, profiles: [{ ...profile, labels: ['linux', 'arm64'] }] });

  await poll();
  await ciOf().register(scope, { name: 'of an older launch', labels: ['linux', 'x64'] });

  expect(fake.sets).toMatchObject([{ labels: [{ name: 'linux' }, { name: 'arm64' }] }]);
});

test('the end of davit ends the wait for a message, and the message comes to the next process', async () => {
  fake.holdMs = 4000;
  const stopping = new AbortController();
  const beganMs = performance.now();
  const reading = pollQueue({ ...deps, stopping: stopping.signal }, system, waitMs);
  setTimeout(() => stopping.abort(), 100);

  expect(await reading).toMatchObject({ queued: 0, errors: [] });
  expect(performance.now() - beganMs).toBeLessThan(3000);
  queueJob();
  deps = newProcess(deps);
  await poll();
  expect(await launches()).toHaveLength(1);
});
