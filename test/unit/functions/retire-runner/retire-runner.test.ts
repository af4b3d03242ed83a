import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { type RetireRunnerDeps, retireRunner } from '../../../../functions/retire-runner/retire-runner.ts';
import { agentOf, endingOf, epochMs, jobRunner, joinedPlanOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { beforeCalls } from '../../../support/around-calls.ts';
import { FakeCi, type FakeJob } from '../../../support/fake-ci.ts';
import { makeLaunchDeps, type TestLaunchDeps, testPace } from '../../../support/make-launch-deps.ts';

const launchId = 'gitea-7-8-1';
const asked = {
  launchId,
  reason: 'no job waits for it',
  by: 'reconcile',
  actor: { kind: 'davit', name: 'reconcile/idle' },
} as const;
const scope = { organization: 'acme' };

let ci: FakeCi;
let slept: number[];
/** Runs an action while the function waits. */
let meanwhile: () => Promise<unknown>;
let deps: RetireRunnerDeps & TestLaunchDeps;

beforeEach(async () => {
  ci = new FakeCi();
  slept = [];
  meanwhile = async () => {};
  const sleep = async (ms: number) => {
    slept.push(ms);
    await meanwhile();
  };
  deps = { ...makeLaunchDeps({ nowEpochMs: () => epochMs + 60_000 }), ciSystemOf: () => ci, sleep };
  await deps.launches.request(recordOf(launchId, { plan: joinedPlanOf(launchId) }));
});

/** Registers the launch's agent, as connect does. @returns its runner's id */
async function connect(): Promise<number> {
  const agent = agentOf(launchId);
  await deps.registrations.begin(agent, 'nonce', epochMs);
  const { runner } = await ci.register(scope, { name: 'davit-0a1b2c3d-gitea-7-8-1', labels: ['linux'] });
  await deps.registrations.complete(agent, 'nonce', runner, epochMs + 1000);
  return runner.id;
}

/** Notes that the launch's agent runs a job. */
async function bind(id: number): Promise<unknown> {
  return deps.registrations.bind(launchId, jobRunner(id), { jobKey: 'gitea/7/9/1' }, epochMs);
}

/** Connects an agent that gets a job of which davit does not know. */
async function connectBusy(): Promise<FakeJob | undefined> {
  ci.queue({ labels: ['linux'] });
  return ci.assign(await connect());
}

const record = (): Promise<LaunchRecord | undefined> => deps.launches.get(launchId);

test('an idle agent gets no more jobs, is awaited, removed from the CI system, and only then ended', async () => {
  const id = await connect();
  ci.asked.length = 0;

  expect(await retireRunner(deps, asked)).toEqual({ outcome: 'retired' });
  expect(ci.asked).toEqual([`stopAssigning ${id}`, `removeIfIdle ${id}`]);
  expect(slept).toEqual([15_000]);
  expect(await record()).toMatchObject({
    status: 'cleaning',
    retiring: { reason: 'no job waits for it' },
    deregisteredAtEpochMs: epochMs + 60_000,
    ending: {
      outcome: 'terminated',
      code: 'Terminated',
      message: 'no job waits for it',
      by: 'reconcile',
      actor: asked.actor,
    },
  });
  expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId }]);
});

describe('an agent whose job has reportedly finished', () => {
  const finished = { ...asked, finishedJobKey: 'gitea/7/9/1' };

  test.each([
    { when: 'its CI system no longer knows its runner', notedAtEpochMs: undefined },
    { when: 'an earlier run died after it had noted that', notedAtEpochMs: epochMs },
  ])('is ended when $when', async ({ notedAtEpochMs }) => {
    const id = await connect();
    await bind(id);
    ci.runners.delete(id);
    if (notedAtEpochMs !== undefined) await deps.registrations.noteDeregistered(launchId, id, notedAtEpochMs);

    expect(await retireRunner(deps, finished)).toEqual({ outcome: 'retired' });
    expect(await record()).toMatchObject({
      status: 'cleaning',
      deregisteredAtEpochMs: notedAtEpochMs ?? epochMs + 60_000,
      ending: { message: 'no job waits for it', actor: { kind: 'ciSystem', name: 'gitea' } },
    });
    expect(deps.invokeLater.events['clean-up']).toEqual([{ launchId }]);
  });

  test('is left alone while its runner exists, or when it runs another job', async () => {
    const id = await connect();
    await bind(id);

    const there = await retireRunner(deps, finished);
    ci.runners.delete(id);
    const another = await retireRunner(deps, { ...finished, finishedJobKey: 'gitea/7/8/1' });

    expect([there, another]).toEqual([{ outcome: 'busy' }, { outcome: 'busy' }]);
    expect(await record()).toMatchObject({ status: 'connected' });
  });
});

test('an agent that runs a known job is left alone, without a request to its CI system', async () => {
  const id = await connect();
  await bind(id);
  ci.asked.length = 0;

  expect(await retireRunner(deps, asked)).toEqual({ outcome: 'busy' });
  expect(ci.asked).toEqual([]);
  expect(await record()).toMatchObject({ status: 'connected' });
  expect(await record()).not.toHaveProperty('retiring');
});

test.each<[what: string, happens: () => Promise<unknown>]>([
  ['runs a job unknown to davit', connectBusy],
  [
    'gets a job between the mark and the end of assigning',
    async () => {
      await connect();
      ci.queue({ labels: ['linux'] });
      beforeCalls(ci, 'stopAssigning', (_scope, id) => ci.assign(id));
    },
  ],
  [
    'registers between the look and the mark, and gets a job',
    async () => beforeCalls(deps.registrations, 'retire', connectBusy),
  ],
  [
    'is bound to a job during the wait',
    async () => {
      const id = await connect();
      meanwhile = () => bind(id);
    },
  ],
])('an agent that %s is left alone', async (_what, happens) => {
  await happens();

  expect(await retireRunner(deps, asked)).toEqual({ outcome: 'busy' });
  expect(ci.runners.size).toBe(1);
  expect(await record()).toMatchObject({ status: 'connected' });
  expect(deps.invokeLater.events['clean-up']).toEqual([]);
});

test('an agent that is bound after its removal is not ended, because it had finished its job', async () => {
  const id = await connect();
  beforeCalls(ci, 'removeIfIdle', () => bind(id));

  expect(await retireRunner(deps, asked)).toEqual({ outcome: 'busy' });
  expect(await record()).toMatchObject({ status: 'connected', runs: { jobKey: 'gitea/7/9/1' } });
});

test('an agent that has not registered yet is ended, and can no longer register', async () => {
  await deps.registrations.begin(agentOf(launchId), 'nonce', epochMs);

  const output = await retireRunner(deps, asked);
  const completed = await deps.registrations.complete(agentOf(launchId), 'nonce', { id: 1, name: 'x' }, epochMs);

  expect(output).toEqual({ outcome: 'retired' });
  expect(completed).toBeUndefined();
  expect(await record()).toMatchObject({ status: 'cleaning', ending: { by: 'reconcile' } });
  expect(ci.asked).toEqual([]);
});

test('an agent that registers between the look and the mark is taken out of its CI system before it is ended', async () => {
  let id = 0;
  beforeCalls(deps.registrations, 'retire', async () => (id = await connect()));

  expect(await retireRunner(deps, asked)).toEqual({ outcome: 'retired' });
  expect(ci.runners.has(id)).toBe(false);
  expect(await record()).toMatchObject({ status: 'cleaning', runner: { id }, deregisteredAtEpochMs: epochMs + 60_000 });
});

test('a launch that is ended during the wait keeps its ending, and its runner is removed', async () => {
  const id = await connect();
  meanwhile = () => deps.launches.end(launchId, endingOf({ by: 'DELETE /launches' }));

  expect(await retireRunner(deps, asked)).toEqual({ outcome: 'retired' });
  expect(ci.runners.has(id)).toBe(false);
  expect(await record()).toMatchObject({
    ending: { by: 'DELETE /launches' },
    deregisteredAtEpochMs: expect.any(Number),
  });
});

test('the runner of a launch that is over is removed, once', async () => {
  const id = await connect();
  await deps.launches.end(launchId, endingOf({ by: 'DELETE /launches' }));

  const output = await retireRunner(deps, asked);
  ci.asked.length = 0;
  const again = await retireRunner(deps, asked);

  expect([output, again]).toEqual([{ outcome: 'retired' }, { outcome: 'retired' }]);
  expect(ci.runners.has(id)).toBe(false);
  expect(ci.asked).toEqual([]);
  expect(await record()).toMatchObject({ ending: { by: 'DELETE /launches' } });
});

test('requests the removal of a busy runner again if its launch is over', async () => {
  const job = await connectBusy();
  const id = job?.runner?.id ?? 0;
  await bind(id);
  await deps.launches.end(launchId, endingOf({ by: 'DELETE /launches' }));

  await expect(retireRunner(deps, asked)).rejects.toMatchObject({ name: 'PendingError', code: 'RunnerBusy' });
  if (job !== undefined) job.status = 'cancelled';

  expect(await retireRunner(deps, asked)).toEqual({ outcome: 'retired' });
  expect(ci.runners.has(id)).toBe(false);
});

test('a CI system that does not answer changes nothing but the mark, and the repeat finishes', async () => {
  const id = await connect();
  ci.isDown = true;

  await expect(retireRunner(deps, asked)).rejects.toMatchObject({ name: 'TransientError', code: 'CiUnavailable' });
  expect(await record()).toMatchObject({ status: 'connected', retiring: { reason: 'no job waits for it' } });
  ci.isDown = false;

  expect(await retireRunner(deps, asked)).toEqual({ outcome: 'retired' });
  expect(ci.runners.has(id)).toBe(false);
});

test('an unknown launch is reported as unknown', async () => {
  expect(await retireRunner(deps, { ...asked, launchId: 'gitea-7-9-1' })).toEqual({ outcome: 'unknown' });
});

test('two retirements at the same time do the same as one', async () => {
  const id = await connect();

  const outputs = await Promise.all([retireRunner(deps, asked), retireRunner(deps, asked)]);

  expect(outputs).toEqual([{ outcome: 'retired' }, { outcome: 'retired' }]);
  expect(ci.runners.has(id)).toBe(false);
  expect(await record()).toMatchObject({ status: 'cleaning' });
});

describe('at a CI system that takes so many requests in a minute', () => {
  const github = [{ name: 'gitea', provider: 'github' }] as const;

  test('a retirement waits while registrations need it, and a repetition carries it out', async () => {
    const id = await connect();
    let nowEpochMs = epochMs;
    const pace = testPace(github, () => nowEpochMs);
    for (let count = 0; count < 7; count += 1) await pace.take('gitea', 'registration', { writes: 1 });
    ci.asked.length = 0;

    const early = retireRunner({ ...deps, pace }, asked);
    await expect(early).rejects.toMatchObject({ name: 'TransientError', code: 'CiUnavailable' });
    expect(ci.asked).toEqual([]);
    expect(await record()).toMatchObject({ status: 'connected', retiring: { reason: asked.reason } });
    expect(await pace.take('gitea', 'registration', { writes: 1 })).toBeUndefined();
    nowEpochMs += 3000;

    expect(await retireRunner({ ...deps, pace }, asked)).toEqual({ outcome: 'retired' });
    expect(ci.asked).toEqual([`stopAssigning ${id}`, `removeIfIdle ${id}`]);
  });

  test('shares the pause that a CI system asks for', async () => {
    await connect();
    const pace = testPace(github, () => epochMs);
    ci.isDown = true;
    ci.rate = { pausedUntilEpochMs: epochMs + 60_000 };

    await expect(retireRunner({ ...deps, pace }, asked)).rejects.toThrow('CiUnavailable');

    expect(await pace.take('gitea', 'registration', { writes: 1 })).toMatchObject({
      untilEpochMs: epochMs + 60_000,
      isPaused: true,
    });
  });
});
