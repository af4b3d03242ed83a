import { BuildkiteConfig } from '../../../../ci/buildkite/config.ts';
import { createBuildkite } from '../../../../ci/buildkite/create-buildkite.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { retireRunner } from '../../../../functions/retire-runner/retire-runner.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqlitePollCursors } from '../../../../local/store/sqlite-ci-memory.ts';
import type { Polled } from '../../../../logic/polling/poll.ts';
import { pollPinned } from '../../../../logic/polling/poll-pinned.ts';
import { endingOf } from '../../../contract/launch-fixtures.ts';
import type { FakeJob } from '../../../support/buildkite/buildkite-state.ts';
import { type FakeBuildkite, startFakeBuildkite } from '../../../support/buildkite/start-fake-buildkite.ts';
import { testInstallationId } from '../../../support/make-launch-deps.ts';
import {
  onlyUnendedLaunch,
  registerAgent,
  requestedLaunches,
  unendedLaunches,
} from '../../../support/polled-launches.ts';
import { makePolledWorld, type PolledWorld, reconciling, retireAsked } from './polled-world.ts';

let nowEpochMs = 0;
let buildkite: FakeBuildkite;
let system: ReturnType<typeof BuildkiteConfig.parse>;
let ci: ReturnType<typeof createBuildkite>;
let deps: PolledWorld;

beforeEach(async () => {
  nowEpochMs = Date.parse('2026-11-27T10:00:00Z');
  buildkite = await startFakeBuildkite({ nowEpochMs: () => nowEpochMs });
  const { url, queue, token } = buildkite;
  const at = { name: 'buildkite', url, organization: 'acme', queue };
  system = BuildkiteConfig.parse({ ...at, provider: 'buildkite', webhookSecret: 'hook', tokenSecret: 'token' });
  const secrets = { readInstallationId: async () => testInstallationId, readToken: async () => token };
  ci = createBuildkite({ ...at, ...secrets, timeoutMs: 10_000 });
  const labels = ['queue=default', 'os=linux'];
  deps = makePolledWorld({ system, labels, ciSystemOf: () => ci, nowEpochMs: () => nowEpochMs });
});
afterEach(() => buildkite.stop());

/** Polls as a new process does, or goes on from a poll of the same process. */
async function poll(before?: Polled): Promise<Polled> {
  const polled = await pollPinned(deps, system, before);
  expect(polled.errors).toEqual([]);
  return polled;
}

const launches = () => requestedLaunches(deps);
const live = () => unendedLaunches(deps);
const theLaunch = () => onlyUnendedLaunch(deps);

/** Does for a launch what its agent and register-runner do. */
async function joined(launch: LaunchRecord): Promise<string> {
  const { environment } = await registerAgent(deps, ci, launch);
  return environment['BUILDKITE_AGENT_TOKEN'] ?? '';
}

function acquired(job: FakeJob, token: string): void {
  const agent = buildkite.state.register(token, { name: 'agent', tags: [] });
  if (agent === undefined || buildkite.state.acquire(agent, job.id) !== job) throw new Error('not acquired');
}

/** A queued job, the poll that saw it, and its launch. */
async function launched(): Promise<{ job: FakeJob; polled: Polled; launch: LaunchRecord }> {
  const job = buildkite.state.enqueue();
  return { job, polled: await poll(), launch: await theLaunch() };
}

/** The same, with an agent that has its job. */
async function begun(): ReturnType<typeof launched> {
  const given = await launched();
  acquired(given.job, await joined(given.launch));
  return given;
}

async function dies(): Promise<never> {
  throw new TransientError('StoreUnavailable', 'the process has ended');
}

test('a job whose rules are too long to be stored is told once, and not taken for new again', async () => {
  buildkite.state.enqueue({ rules: [`os=${'x'.repeat(300)}`] });

  const first = await pollPinned(deps, system);
  const again = await pollPinned(deps, system, first);

  expect([first.queued, again.queued]).toEqual([1, 0]);
  expect(first.errors).toEqual([expect.stringMatching(/label 2 of the job has 303 characters: davit takes at most/)]);
  expect(again.errors).toEqual([]);
});

test('a new job gets a launch that is for it alone, and is held', async () => {
  const job = buildkite.state.enqueue({ rules: ['os=linux'] });

  const polled = await poll();
  const again = await poll(polled);

  expect([polled.queued, again.queued]).toEqual([1, 0]);
  expect(await live()).toMatchObject([{ plan: { join: { ciSystem: 'buildkite', pinnedTo: job.id } } }]);
  expect(job).toMatchObject({ state: 'reserved', reservation: { stack: 'davit-0a1b2c3d-buildkite' } });
});

test('a job that no profile takes is left to others, and held by nobody', async () => {
  const job = buildkite.state.enqueue({ rules: ['os=windows'] });

  await poll(await poll());

  expect(await launches()).toEqual([]);
  expect(job.state).toBe('scheduled');
});

test('a held job is extended at half-life, in few requests', async () => {
  const job = buildkite.state.enqueue();
  let polled = await poll();
  const first = job.reservation?.untilEpochMs ?? 0;
  for (let seconds = 0; seconds < 280; seconds += 2) {
    nowEpochMs += 2000;
    polled = await poll(polled);
  }

  const reserved = buildkite.exchanges.filter(({ path }) => path.endsWith('/batch-reserve'));

  expect(job.state).toBe('reserved');
  expect((job.reservation?.untilEpochMs ?? 0) - first).toBe(160_000);
  expect(reserved).toHaveLength(2);
});

test('a process without a cursor of its own reserves no job again that is held', async () => {
  buildkite.state.enqueue();
  await poll();
  for (let polls = 0; polls < 5; polls += 1) {
    nowEpochMs += 2000;
    await poll();
  }

  expect(buildkite.exchanges.filter(({ path }) => path.endsWith('/batch-reserve'))).toHaveLength(1);
});

test('a job whose launch has failed is not extended, and the queue has it again', async () => {
  const { job, polled, launch } = await launched();
  await deps.launches.end(launch.launchId, endingOf({ message: 'the Pod has failed', atEpochMs: nowEpochMs }));
  nowEpochMs += 160_000;
  const later = await poll(polled);
  nowEpochMs += 160_000;

  await poll(later);

  expect(buildkite.state.settled(job).state).toBe('scheduled');
  expect(job.notifications).toEqual(['davit: the Pod has failed']);
});

test('a job that its agent runs is bound to its launch, which ends with the job', async () => {
  const { job, polled } = await begun();

  const running = await poll(polled);
  const bound = await theLaunch();
  buildkite.state.finish(job, '0');
  const over = await poll(running);

  expect(running.cursor.open).toMatchObject([{ runner: { id: bound.runner?.id } }]);
  expect(bound.runs?.jobKey).toBe(bound.plan?.jobKey);
  expect(over.cursor.open).toEqual([]);
  expect(await live()).toEqual([]);
});

test('a job that was begun and is over before any poll saw it ends its launch', async () => {
  const { job, polled } = await begun();
  buildkite.state.finish(job, '0');

  await poll(polled);

  expect(await live()).toEqual([]);
  expect(await launches()).toMatchObject([{ ending: { outcome: 'terminated' }, runs: { jobKey: expect.any(String) } }]);
});

test.each<[what: string, happens: (job: FakeJob) => unknown, message: string]>([
  ['another agent has', (job) => (job.state = 'running'), 'another agent of buildkite runs the job'],
  ['is cancelled', (job) => buildkite.state.cancel(job), 'the job completed'],
])('a job that %s before its agent connects ends its launch', async (_what, happens, message) => {
  const { job, polled } = await launched();
  happens(job);

  const after = await poll(polled);

  expect(await live()).toEqual([]);
  expect(await launches()).toMatchObject([{ ending: { message: expect.stringContaining(message) } }]);
  expect(after.cursor.open).toEqual([]);
});

test('a job of which Buildkite says nothing is followed, and its launch stays', async () => {
  const { job, polled } = await launched();
  buildkite.state.jobs.delete(job.id);

  const after = await poll(polled);

  expect(await live()).toHaveLength(1);
  expect(after.cursor.open).toHaveLength(1);
});

test.each(['waits', 'runs'])('a job that %s is followed by a process that has no cursor', async (what) => {
  const { job, polled } = await launched();
  if (what === 'runs') {
    acquired(job, await joined(await theLaunch()));
    await poll(polled);
  }
  deps.cursors = sqlitePollCursors(openStore(':memory:'));
  if (what === 'runs') buildkite.state.finish(job, '0');
  else buildkite.state.cancel(job);

  await poll();

  expect(await live()).toEqual([]);
});

test('a job that was bound by a poll that died before it noted so is noted by the next process', async () => {
  const { polled, launch } = await begun();
  const { jobs } = deps;
  deps.jobs = new Proxy(jobs, {
    get: (target, key, receiver) => (key === 'note' ? dies : Reflect.get(target, key, receiver)),
  });
  const died = await pollPinned(deps, system, polled);
  deps.jobs = jobs;

  await poll();

  const [record] = await jobs.getMany([launch.plan?.jobKey ?? '']);
  expect(died.errors).toHaveLength(1);
  expect(record).toMatchObject({ status: 'in_progress', ranBy: launch.launchId });
});

test('a job that is cancelled once its agent is registered ends the launch, which is said to have run nothing', async () => {
  const { job, polled, launch } = await launched();
  await joined(launch);
  buildkite.state.cancel(job);

  const after = await poll(polled);
  await retireAsked(deps);

  const [ended] = await launches();
  expect([after.cursor.open, await live()]).toEqual([[], []]);
  expect(ended).toMatchObject({ ending: { message: 'the job is over, and its agent never had it' } });
  expect(ended).not.toHaveProperty('runs');
});

test('a job that is cancelled while its agent registers again ends the launch, which is said to have run nothing', async () => {
  const { job, polled, launch } = await launched();
  await joined(launch);
  const { launchId, runner } = await theLaunch();
  // The answer to its first request was lost: register-runner takes its unused runner out before it registers another.
  await deps.registrations.noteDeregistered(launchId, runner?.id ?? 0, nowEpochMs);
  buildkite.state.cancel(job);

  await poll(polled);
  await retireAsked(deps);

  const [ended] = await launches();
  expect(ended).toMatchObject({ status: 'cleaning' });
  expect(ended).not.toHaveProperty('runs');
});

test('a job that another agent has got after its launch was over is bound to nobody', async () => {
  const { job, polled, launch } = await launched();
  await joined(launch);
  const exited = { outcome: 'terminated', code: 'Terminated', by: 'the agent exited' } as const;
  await deps.launches.end(launch.launchId, endingOf({ ...exited, atEpochMs: nowEpochMs }));
  job.state = 'running';

  await poll(polled);

  const [after] = await launches();
  expect(after).not.toHaveProperty('runs');
});

test("a job's page says why it waits, each reason once", async () => {
  const job = buildkite.state.enqueue();
  let polled = await poll();
  const { launchId } = await theLaunch();
  const signal = { code: 'Unschedulable', detail: '0/3 nodes have room', sinceEpochMs: nowEpochMs } as const;
  await deps.launches.noteSignal(launchId, signal);

  for (let seconds = 0; seconds < 60; seconds += 5) {
    nowEpochMs += 5000;
    polled = await poll(polled);
  }

  expect(job.notifications).toEqual(['davit: 0/3 nodes have room']);
});

async function retire({ launchId }: LaunchRecord) {
  const actor = { kind: 'davit', name: 'test' } as const;
  return retireRunner(deps, { launchId, reason: 'surplus', by: 'test', actor });
}

test('a launch whose agent has the job is not retired, and one whose job is over is', async () => {
  const { job, launch } = await begun();

  const busy = await retire(launch);
  buildkite.state.finish(job, '0');
  const over = await retire(launch);

  expect([busy.outcome, over.outcome]).toEqual(['busy', 'retired']);
});

/** Runs as many rounds of reconciling, each a minute after the one before. @param then what happens after each */
async function reconcileFor(minutes: number, then = async (): Promise<unknown> => undefined): Promise<void> {
  const round = reconciling(deps);
  for (let minute = 0; minute < minutes; minute += 1) {
    nowEpochMs += 60_000;
    await round();
    await then();
  }
}

test('while nobody polls, reconcile retires the launch of a cancelled job, and launches for a new one', async () => {
  const cancelled = buildkite.state.enqueue();
  await poll();
  const launch = await theLaunch();
  buildkite.state.cancel(cancelled);
  const later = buildkite.state.enqueue();

  await reconcileFor(6);

  expect(deps.invokeLater.events['retire-runner'].map(({ launchId }) => launchId)).toContain(launch.launchId);
  expect((await live()).map(({ plan }) => plan?.join?.pinnedTo)).toContain(later.id);
});

test('while nobody polls, a job that another agent has got after its launch was over gets no further launch', async () => {
  const job = buildkite.state.enqueue();
  await poll();
  const { launchId } = await theLaunch();
  await deps.launches.end(launchId, endingOf({ code: 'AgentExited', atEpochMs: nowEpochMs }));
  job.state = 'running';

  await reconcileFor(6);

  expect(await live()).toEqual([]);
});

test('a launch whose job waits is not retired, however long its agent is idle', async () => {
  buildkite.state.enqueue();
  await poll();
  await joined(await theLaunch());

  await reconcileFor(30);

  expect(deps.invokeLater.events['retire-runner']).toEqual([]);
  expect(await live()).toHaveLength(1);
});

test("a job whose launches keep failing is launched for again, and is then ended with the cluster's words", async () => {
  const job = buildkite.state.enqueue();
  let polled = await poll();

  await reconcileFor(60, async () => {
    polled = await poll(polled);
    for (const { launchId } of await live()) {
      await deps.launches.end(launchId, endingOf({ message: 'no such image: x', atEpochMs: nowEpochMs }));
    }
  });

  expect(await launches()).toHaveLength(4);
  expect(job).toMatchObject({
    state: 'finished',
    exitStatus: '-1',
    finishedWith: 'davit: its last 4 launches failed, the latest: no such image: x',
  });
  expect(polled.cursor.open).toEqual([]);
});
