import { ForgejoConfig } from '../../../../ci/forgejo/config.ts';
import { createForgejo } from '../../../../ci/forgejo/create-forgejo.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { Polled } from '../../../../logic/polling/poll.ts';
import { pollPinned } from '../../../../logic/polling/poll-pinned.ts';
import type { FakeJob, FakeRunner } from '../../../support/forgejo/forgejo-state.ts';
import { type FakeForgejo, startFakeForgejo } from '../../../support/forgejo/start-fake-forgejo.ts';
import {
  onlyUnendedLaunch,
  registerAgent,
  requestedLaunches,
  unendedLaunches,
} from '../../../support/polled-launches.ts';
import { makePolledWorld, type PolledWorld, reconciling, retireAsked } from './polled-world.ts';

let nowEpochMs = 0;
let forgejo: FakeForgejo;
let ci: ReturnType<typeof createForgejo>;
let deps: PolledWorld;
let system: ReturnType<typeof ForgejoConfig.parse>;

beforeEach(async () => {
  nowEpochMs = Date.parse('2026-11-27T10:00:00Z');
  forgejo = await startFakeForgejo({ nowEpochMs: () => nowEpochMs });
  const at = { name: 'forgejo', url: forgejo.url, scope: forgejo.scope };
  system = ForgejoConfig.parse({ ...at, provider: 'forgejo', webhookSecret: 'hook', tokenSecret: 'token' });
  const sleep = async (ms: number) => {
    nowEpochMs += ms;
    agentsReport();
  };
  ci = createForgejo({ ...at, readToken: async () => forgejo.token, timeoutMs: 10_000, sleep });
  deps = makePolledWorld({ system, labels: ['linux'], ciSystemOf: () => ci, nowEpochMs: () => nowEpochMs, sleep });
});
afterEach(() => forgejo.stop());

/** Has each agent ask for its job, or report on it. */
function agentsReport(): void {
  for (const runner of forgejo.state.runners.values()) {
    runner.lastOnlineEpochMs = nowEpochMs;
    if (runner.job !== undefined) forgejo.state.noteActive(runner);
  }
}

function aMinuteLater(): void {
  nowEpochMs += 60_000;
  agentsReport();
}

/** Polls as a new process does, or goes on from a poll of the same process. */
async function poll(before?: Polled): Promise<Polled> {
  const polled = await pollPinned(deps, system, before);
  expect(polled.errors).toEqual([]);
  return polled;
}

const launches = () => requestedLaunches(deps);
const live = () => unendedLaunches(deps);
const theLaunch = () => onlyUnendedLaunch(deps);

/** Does for a launch what its agent and register-runner do, until the agent waits for its job. */
async function joined(launch: LaunchRecord): Promise<FakeRunner> {
  const { runner } = await registerAgent(deps, ci, launch);
  const made = forgejo.state.runners.get(runner.id);
  if (made === undefined) throw new Error('not registered');
  made.labels = [...(launch.plan?.join?.labels ?? [])];
  made.lastOnlineEpochMs = nowEpochMs;
  return made;
}

function taken(runner: FakeRunner, job: FakeJob): void {
  if (forgejo.state.take(runner, job.handle) !== job) throw new Error('not taken');
  forgejo.state.noteActive(runner);
}

/** A queued job, the poll that saw it, and the runner of its launch. */
async function launched(): Promise<{ job: FakeJob; polled: Polled; runner: FakeRunner }> {
  const job = forgejo.state.enqueue();
  return { job, polled: await poll(), runner: await joined(await theLaunch()) };
}

test.each([
  ['that runs', true],
  ['that waits for its agent', false],
])('a job %s goes on when the lists lack it, for however long', async (_what, isTaken) => {
  const { job, runner, ...first } = await launched();
  let { polled } = first;
  if (isTaken) taken(runner, job);
  if (isTaken) polled = await poll(polled);
  forgejo.state.missing.organization.add(job.handle);
  if (isTaken) forgejo.state.missing.repository.add(job.handle);

  for (let seconds = 0; seconds < 120; seconds += 5) {
    nowEpochMs += 5000;
    if (isTaken && seconds % 20 === 0) forgejo.state.noteActive(runner);
    polled = await poll(polled);
  }

  expect(await live()).toHaveLength(1);
  expect([polled.cursor.open.length, deps.invokeLater.events['retire-runner'].length]).toEqual([1, 0]);
});

test('nothing is taken for over while Forgejo does not answer, and then while it has just come back', async () => {
  const { job, runner, ...first } = await launched();
  let { polled } = first;
  taken(runner, job);
  polled = await poll(polled);
  forgejo.isUp = false;
  nowEpochMs += 300_000;
  await expect(pollPinned(deps, system, polled)).rejects.toMatchObject({ code: 'CiUnavailable' });

  forgejo.isUp = true;
  await poll();

  expect(await theLaunch()).toMatchObject({ runs: { jobKey: expect.any(String) } });
  expect(deps.invokeLater.events['retire-runner']).toEqual([]);
});

test('a job that another runner takes while the agent waits has the agent retired, after 15 s and not before', async () => {
  const { job, runner, ...first } = await launched();
  let { polled } = first;
  forgejo.state.takeElsewhere(job);
  const requested: number[] = [];
  for (let seconds = 0; seconds <= 20; seconds += 5) {
    // A process without a cursor of its own goes on by the stored one.
    polled = await poll(seconds === 10 ? undefined : polled);
    requested.push(deps.invokeLater.events['retire-runner'].length);
    nowEpochMs += 5000;
    runner.lastOnlineEpochMs = nowEpochMs;
  }

  const outcomes = await retireAsked(deps);

  expect(requested).toEqual([0, 0, 0, 1, 1]);
  expect([outcomes, await live(), forgejo.state.runners.size]).toEqual([['retired'], [], 0]);
  expect(polled.cursor.open).toEqual([]);
});

test.each([
  ['runs', 'running'],
  ['is over', 'success'],
] as const)(
  'a job that %s on another runner is not taken for one of the agent that davit removes meanwhile',
  async (_what, status) => {
    const { job, polled } = await launched();
    const { launchId } = await theLaunch();
    forgejo.state.takeElsewhere(job);
    job.status = status;
    let removed: Promise<string[]> | undefined;
    const pinned = {
      runnerStatus: async (...of: Parameters<typeof ci.pinned.runnerStatus>) => {
        const actor = { kind: 'davit', name: 'reconcile' } as const;
        deps.invokeLater.events['retire-runner'].push({ launchId, reason: 'surplus', by: 'reconcile', actor });
        await (removed ??= retireAsked(deps));
        return ci.pinned.runnerStatus(...of);
      },
    };
    const polling = { ...deps, ciSystemOf: () => ({ ...ci, pinned }) };

    await pollPinned(polling, system, await pollPinned(polling, system, polled));

    expect(await removed).toEqual(['retired']);
    expect(await launches()).toEqual([expect.not.objectContaining({ runs: expect.anything() })]);
  },
);

test.each([
  ['runs', 'running'],
  ['is over', 'success'],
] as const)(
  'a job that %s on another runner is not taken for one of an agent that registers again, whose runner davit took out',
  async (_what, status) => {
    const job = forgejo.state.enqueue();
    const polled = await poll();
    const { launchId, plan } = await theLaunch();
    const runner = await joined(await theLaunch());
    await deps.registrations.begin({ agentName: plan?.agentName ?? '', launchId }, 'again', nowEpochMs + 1);
    // register-runner died before it noted that.
    forgejo.state.runners.delete(runner.id);
    forgejo.state.takeElsewhere(job);
    job.status = status;

    await poll(await poll(polled));

    expect(await launches()).toEqual([expect.not.objectContaining({ runs: expect.anything() })]);
  },
);

test('an agent that has just got its job, and has not reported yet, is not taken for idle', async () => {
  const { job, runner, ...first } = await launched();
  let { polled } = first;
  forgejo.state.take(runner, job.handle);
  polled = await poll(polled);
  nowEpochMs += 5000;
  forgejo.state.noteActive(runner);

  await poll(polled);

  expect(await theLaunch()).toMatchObject({ runs: { jobKey: expect.any(String) } });
  expect(deps.invokeLater.events['retire-runner']).toEqual([]);
});

test('a job that is run again gets another launch, for its new handle', async () => {
  const { job, polled, runner } = await launched();
  taken(runner, job);
  forgejo.state.finish(runner, 'failure');
  forgejo.state.rerun(job);

  await poll(await poll(polled));

  expect((await live()).map(({ plan }) => plan?.join?.pinnedTo)).toEqual([job.handle]);
  expect(await launches()).toHaveLength(2);
});

test('while nobody polls, reconcile leaves an agent alone that runs its job or waits for it', async () => {
  const [runs] = [forgejo.state.enqueue(), forgejo.state.enqueue()];
  await poll();
  const all = await live();
  for (const launch of all) {
    const runner = await joined(launch);
    if (launch.plan?.join?.pinnedTo === runs?.handle) taken(runner, runs);
  }
  const round = reconciling(deps);

  const outcomes: string[] = [];
  for (let count = 0; count < 20; count += 1) {
    aMinuteLater();
    await round();
    outcomes.push(...(await retireAsked(deps)));
  }

  expect(await live()).toHaveLength(2);
  expect([forgejo.state.runners.size, outcomes.filter((outcome) => outcome === 'retired')]).toEqual([2, []]);
});

test('a runner that a lost answer has left is removed by its name', async () => {
  const { runner } = await launched();
  const stray = forgejo.state.register(runner.name, true);
  const foreign = forgejo.state.register('davit-ffffffff-forgejo-1', true);
  const round = reconciling(deps);

  for (let count = 0; count < 5; count += 1) {
    aMinuteLater();
    await round();
  }

  expect([...forgejo.state.runners.keys()]).toEqual([runner.id, foreign.id]);
  expect(stray.id).not.toBe(runner.id);
});
