import type { JobStatus, SeenJob } from '../../../../core/job/job-record.ts';
import { agentNameOf, warmLaunchId } from '../../../../core/launch/names.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { runnerNameOf } from '../../../../core/launch/runner-names.ts';
import { warmPoolsOf } from '../../../../functions/reconcile/warm-pools.ts';
import { answerRegisteredJob } from '../../../../functions/webhook/answer-job.ts';
import { refuseCalls } from '../../../support/around-calls.ts';
import { worldsGitea as gitea } from '../../../support/ci-world.ts';
import { makeLaunchDeps, type TestLaunchDeps, testInstallationId } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

const profile = makeProfile({ runner: 'gitea', labels: ['linux'], idleSeconds: 300 });
const now = queuedAtEpochMs + 1000;
let deps: TestLaunchDeps;

beforeEach(() => {
  deps = makeLaunchDeps({ profiles: [profile], nowEpochMs: () => now });
});

function eventOf(status: JobStatus, jobId: number, given: Partial<SeenJob> = {}): SeenJob {
  return seenJob({ status, jobId, ...given });
}

function launchOf(id: number): string {
  return `gitea-7-${id}-1`;
}

async function deliver(...event: Parameters<typeof eventOf>) {
  const { statusCode: status, body } = await answerRegisteredJob(deps, gitea, eventOf(...event));
  return { status, body: JSON.parse(body) };
}

/** Queues a job, and registers the agent of its launch. @returns its runner */
async function queueAndConnect(id: number): Promise<{ id: number; name: string }> {
  await deliver('queued', id);
  const launchId = launchOf(id);
  const agent = { launchId, agentName: agentNameOf(launchId) };
  const runner = { id: 1000 + id, name: runnerNameOf(testInstallationId, agent.agentName) };
  await deps.registrations.begin(agent, 'nonce', now);
  await deps.registrations.complete(agent, 'nonce', runner, now);
  return runner;
}

async function statusOf(id: number): Promise<string | undefined> {
  return (await deps.launches.get(launchOf(id)))?.status;
}

describe('a queued job', () => {
  test("requests one launch, whose agent joins the pool of its profile in the job's organization", async () => {
    const answer = await deliver('queued', 8, { url: 'https://gitea.example/8' });

    expect(answer).toMatchObject({ status: 202, body: { launchId: launchOf(8), status: 'launching' } });
    expect(deps.executions.started.get(launchOf(8))?.plan).toMatchObject({
      join: { ciSystem: 'gitea', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 300 },
      jobKey: 'gitea/7/8/1',
      sourceUrl: 'https://gitea.example/8',
    });
    expect(await deps.jobs.get(seenJob())).toMatchObject({ launches: 1, lastLaunch: { launchId: launchOf(8) } });
    expect(await deps.jobs.listRepositories('gitea', now)).toEqual([
      { repository: { owner: 'acme', name: 'app' }, organization: 'acme' },
    ]);
  });

  test('for other runners is no reason to ask for the jobs of its repository each minute', async () => {
    await deliver('queued', 8, { labels: ['ubuntu-latest'] });
    const places = await deps.jobs.listRepositories('gitea', now);

    await deliver('completed', 9, { conclusion: 'success' });

    expect(places).toEqual([]);
    expect(await deps.jobs.listRepositories('gitea', now)).toHaveLength(1);
  });

  test('that is delivered twice requests one launch', async () => {
    await deliver('queued', 8);

    const again = await deliver('queued', 8);

    expect(again).toMatchObject({ status: 200, body: { launchId: launchOf(8), duplicate: true } });
    expect(deps.executions.started.size).toBe(1);
  });

  test('whose launch was counted and not requested gets it at the redelivery', async () => {
    const restore = refuseCalls(deps.executions, 'start', new Error('killed'));
    await expect(deliver('queued', 8)).rejects.toThrow('killed');
    restore();

    await deliver('queued', 8);

    expect([...deps.executions.started.keys()]).toEqual([launchOf(8)]);
  });

  test('that no profile takes gets no launch, and its record says why', async () => {
    const answer = await deliver('queued', 8, { labels: ['windows'] });

    const reason = "no profile has all of the job's labels: windows";
    expect(answer).toEqual({ status: 200, body: { ignored: true, reason } });
    expect(await deps.jobs.get(seenJob())).toMatchObject({ notLaunched: reason, launches: 0 });
  });

  test('with a size gets a launch of that size, whose runner has its labels', async () => {
    deps = makeLaunchDeps({ profiles: [{ ...profile, sizes: { cpu: { max: '8' } } }], nowEpochMs: () => now });

    const answer = await deliver('queued', 8, { labels: ['linux', 'davit/cpu=4'] });

    expect(answer).toMatchObject({ status: 202 });
    expect(deps.executions.started.get(launchOf(8))?.plan).toMatchObject({
      size: { cpu: '4' },
      join: { labels: ['linux', 'davit/cpu=4'] },
    });
  });

  test.each<[after: 'completed' | 'in_progress', given: Partial<SeenJob>]>([
    ['completed', { conclusion: 'cancelled' }],
    // A foreign runner has taken it.
    ['in_progress', { runner: { id: 1, name: 'somebody' } }],
  ])('that comes after its `%s` needs nothing', async (after, given) => {
    await deliver(after, 8, given);

    const answer = await deliver('queued', 8);

    expect(answer).toMatchObject({ status: 200, body: { reason: `the job is ${after} already` } });
    expect(deps.executions.started.size).toBe(0);
  });

  test('whose first event comes late is left to reconcile, and its record says so', async () => {
    const answer = await deliver('queued', 8, { queuedAtEpochMs: now - 60_001 });

    const reason = 'the event came late: the next reconcile asks whether the job still waits';
    expect(answer).toEqual({ status: 200, body: { ignored: true, reason } });
    expect(deps.executions.started.size).toBe(0);
    expect(await deps.jobs.get(seenJob())).toMatchObject({ notLaunched: reason });
  });

  test.each<[age: string, queuedAtEpochMs: number | undefined, statusCode: number, ciClockAheadMs?: number]>([
    ['60 s', now - 60_000, 202],
    ['unknown', undefined, 202],
    ['1 s by a clock that is 90 s behind', now - 91_000, 202, -90_000],
    ['61 s by a clock that is 90 s behind', now - 151_000, 200, -90_000],
    ['1 s by a clock that is 5 min ahead', now + 299_000, 202, 300_000],
    ['2 min by a clock that is 5 min ahead', now + 180_000, 200, 300_000],
  ])('whose age is %s comes in time or late', async (_age, atEpochMs, statusCode, ciClockAheadMs = 0) => {
    await deps.ciClocks.keep('gitea', ciClockAheadMs);
    const event = { ...eventOf('queued', 8), queuedAtEpochMs: atEpochMs };

    expect(await answerRegisteredJob(deps, gitea, event)).toMatchObject({ statusCode });
  });

  test('is as old as its delivery, however late the function begins', async () => {
    const event = eventOf('queued', 8, { queuedAtEpochMs: now - 100_000 });

    expect(await answerRegisteredJob(deps, gitea, event, now - 99_000)).toMatchObject({ statusCode: 202 });
  });

  test('for which reconciling has already launched twice gets no further launch', async () => {
    await deliver('queued', 8);
    await deps.jobs.claimLaunch(seenJob(), 1, 'gitea-7-8-1-x1', now);

    const answer = await deliver('queued', 8);

    expect(answer.body).toEqual({ ignored: true, reason: '2 launches were already requested for the job' });
    expect(deps.executions.started.size).toBe(1);
  });

  test('keeps the trace of its request', async () => {
    const traceHeader = 'Root=1-67891233-abcdef012345678912345678;Sampled=1';

    await answerRegisteredJob({ ...deps, traceHeader: () => traceHeader }, gitea, eventOf('queued', 8));

    expect(deps.executions.started.get(launchOf(8))?.plan).toMatchObject({ traceHeader });
  });

  test('that has waited long for another job gets its launch at once', async () => {
    const longAgo = { queuedAtEpochMs: now - 600_000 };
    const waiting = await deliver('waiting', 8, longAgo);

    const answer = await deliver('queued', 8, longAgo);

    const reason = 'the job waits for another job, or for an approval';
    expect(waiting).toEqual({ status: 200, body: { ignored: true, reason } });
    expect(answer.status).toBe(202);
    expect(deps.executions.started.size).toBe(1);
  });

  test('of a profile without registration is ended by the job that ran on its own agent', async () => {
    deps = makeLaunchDeps({ profiles: [makeProfile({ labels: ['linux'] })], nowEpochMs: () => now });
    await deliver('queued', 8);

    const runner = { id: 3, name: `davit-${launchOf(8)}` };
    const answer = await deliver('completed', 8, { conclusion: 'success', runner });

    expect(deps.executions.started.get(launchOf(8))?.plan).not.toHaveProperty('join');
    expect(await deps.jobs.get(seenJob())).toMatchObject({ launches: 0 });
    expect(answer).toMatchObject({ status: 202, body: { launchId: launchOf(8), status: 'cleaning' } });
  });

  test("of a person's repository is registered for in that repository", async () => {
    const { organization: _organization, ...event } = eventOf('queued', 8);

    await answerRegisteredJob(deps, gitea, event);

    const { join } = deps.executions.started.get(launchOf(8))?.plan ?? {};
    const repository = { owner: 'acme', name: 'app' };
    expect(join?.scope).toEqual({ repository });
    expect(await deps.jobs.listRepositories('gitea', now)).toStrictEqual([{ repository }]);
  });
});

describe("a job that another job's agent runs", () => {
  test('ends the launch whose agent ran it, and no other', async () => {
    const runner8 = await queueAndConnect(8);
    const runner9 = await queueAndConnect(9);
    await deliver('in_progress', 8, { runner: runner9 });
    await deliver('in_progress', 9, { runner: runner8 });

    const answer = await deliver('completed', 8, { runner: runner9, conclusion: 'success' });

    expect(answer).toMatchObject({ status: 202, body: { launchId: launchOf(9), status: 'cleaning' } });
    expect([await statusOf(8), await statusOf(9)]).toEqual(['connected', 'cleaning']);
    expect((await deps.launches.get(launchOf(9)))?.ending).toMatchObject({
      by: 'gitea workflow_job completed (success)',
      actor: { kind: 'ciSystem', name: 'gitea' },
    });
    expect(await deps.jobs.get(seenJob())).toMatchObject({ ranBy: launchOf(9) });

    await deliver('completed', 9, { runner: runner8, conclusion: 'failure' });

    expect([await statusOf(8), await statusOf(9)]).toEqual(['cleaning', 'cleaning']);
  });

  test('ends it even when `in_progress` is lost, or comes later', async () => {
    await queueAndConnect(8);
    const runner9 = await queueAndConnect(9);

    await deliver('completed', 8, { runner: runner9, conclusion: 'success' });
    await deliver('in_progress', 8, { runner: runner9 });

    expect([await statusOf(8), await statusOf(9)]).toEqual(['connected', 'cleaning']);
  });

  test.each([
    { action: 'in_progress', comes: 'after its `queued`' },
    { action: 'completed', comes: 'after its `queued`' },
    { action: 'in_progress', comes: 'first' },
    { action: 'completed', comes: 'first' },
  ] as const)(
    'is queued by its record if its `$action` comes $comes and finds no time to bind it: reconciling asks for it',
    async ({ action, comes }) => {
      if (comes !== 'first') await queueAndConnect(8);
      const runner9 = await queueAndConnect(9);
      deps.registrations.bind = async () => Promise.reject(new Error('killed'));

      await expect(deliver(action, 8, { runner: runner9 })).rejects.toThrow('killed');

      expect((await deps.jobs.listWaiting('gitea')).map(({ jobKey }) => jobKey)).toContain('gitea/7/8/1');
      expect((await deps.jobs.get(seenJob()))?.status).toBe('queued');
    },
  );

  test('ends it once, however often its `completed` is delivered', async () => {
    await queueAndConnect(8);
    const runner9 = await queueAndConnect(9);
    await deliver('completed', 8, { runner: runner9, conclusion: 'success' });
    const ending = (await deps.launches.get(launchOf(9)))?.ending;

    const again = await deliver('completed', 8, { runner: runner9, conclusion: 'success' });

    expect(again.body).toMatchObject({ launchId: launchOf(9) });
    expect((await deps.launches.get(launchOf(9)))?.ending).toEqual(ending);
    expect(await statusOf(8)).toBe('connected');
  });

  test('is bound by an `in_progress` before `queued`, and then gets no launch of its own', async () => {
    const runner9 = await queueAndConnect(9);

    const running = await deliver('in_progress', 8, { runner: runner9 });
    await deliver('queued', 8);

    expect(running).toMatchObject({ status: 200, body: { launchId: launchOf(9), status: 'connected' } });
    expect((await deps.launches.get(launchOf(9)))?.runs).toMatchObject({ jobKey: 'gitea/7/8/1' });
    expect([...deps.executions.started.keys()]).toEqual([launchOf(9)]);
  });

  test('is logged with the launch whose agent runs it', async () => {
    const runner = await queueAndConnect(9);

    const { subject } = await answerRegisteredJob(deps, gitea, eventOf('in_progress', 8, { runner }));

    expect(subject).toMatchObject({ launchId: launchOf(9), profile: 'linux' });
  });

  test('ends nothing when the record of that launch expires meanwhile', async () => {
    const runner = await queueAndConnect(9);
    deps.launches.end = async () => undefined;

    const answer = await deliver('completed', 8, { runner, conclusion: 'success' });

    expect(answer).toEqual({
      status: 200,
      body: { ignored: true, reason: 'the launch of the agent is forgotten' },
    });
  });
});

describe('the record of a launch', () => {
  const known = { workflow: 'ci', runId: 40, url: 'https://gitea.example/8' };
  const job = { name: 'build', repository: 'acme/app', workflow: 'ci', runId: 40, attempt: 1, queuedAtEpochMs };

  test('has the job that its agent runs, from its queueing to its end', async () => {
    const runner9 = await queueAndConnect(9);
    await deliver('queued', 8, known);
    const startedAtEpochMs = queuedAtEpochMs + 4000;
    await deliver('in_progress', 8, { runner: runner9, startedAtEpochMs });

    const running = await deps.launches.get(launchOf(9));
    const completedAtEpochMs = queuedAtEpochMs + 9000;
    await deliver('completed', 8, { runner: runner9, startedAtEpochMs, completedAtEpochMs, conclusion: 'failure' });

    const runs = { jobKey: 'gitea/7/8/1', sinceEpochMs: now, job: { ...job, startedAtEpochMs }, url: known.url };
    expect(running).toMatchObject({ plan: { jobKey: 'gitea/7/9/1' }, runs });
    expect(running).not.toHaveProperty('ran');
    expect(await deps.launches.get(launchOf(9))).toMatchObject({
      runs,
      ran: { conclusion: 'failure', atEpochMs: completedAtEpochMs },
    });
  });
});

describe('a job that no agent of davit has run', () => {
  const foreign = { id: 1, name: 'somebody' };

  test.each<[why: string, events: (agent: { id: number; name: string }) => Parameters<typeof eventOf>[]]>([
    ['it was cancelled in the queue', () => [['completed', 8, { conclusion: 'cancelled' }]]],
    [
      'a foreign runner ran it',
      () => [
        ['in_progress', 8, { runner: foreign }],
        ['completed', 8, { runner: foreign, conclusion: 'success' }],
      ],
    ],
    [
      "a runner of an agent's name has another id, because anybody can choose a name",
      ({ id, name }) => [
        ['in_progress', 9, { runner: { id: id + 1, name } }],
        ['completed', 9, { runner: { id: id + 1, name }, conclusion: 'success' }],
      ],
    ],
    ['no profile has its labels', () => [['completed', 9, { labels: ['windows'], conclusion: 'success' }]]],
    [
      'an agent of another davit ran it',
      ({ id }) => {
        const runner = { id, name: runnerNameOf('99999999', agentNameOf(launchOf(8))) };
        return [['completed', 8, { runner, conclusion: 'success' }]];
      },
    ],
  ])('ends nothing when %s', async (_why, events) => {
    const bodies: unknown[] = [];
    for (const event of events(await queueAndConnect(8))) bodies.push((await deliver(...event)).body);

    expect(bodies.at(-1)).toEqual({ ignored: true, reason: 'the job ran on no agent of this davit' });
    if (bodies.length > 1)
      expect(bodies[0]).toEqual({ ignored: true, reason: 'the job runs on no agent of this davit' });
    expect(await statusOf(8)).toBe('connected');
    expect(await deps.launches.get(launchOf(8))).not.toHaveProperty('runs');
  });

  test('ends nothing when the agent is known to run another job', async () => {
    const runner8 = await queueAndConnect(8);
    await deliver('in_progress', 8, { runner: runner8 });

    await deliver('completed', 9, { runner: runner8, conclusion: 'success' });

    expect(await statusOf(8)).toBe('connected');
  });
});

describe('a queued job of a pool with warm agents', () => {
  const warm = { agents: 2, organizations: ['acme'] };
  const system = 'gitea';

  /** Agents of the pool that stand by, the first one the oldest. */
  async function withStanding(given: Parameters<typeof makeProfile>[0] = {}): Promise<string[]> {
    const profiles = [makeProfile({ runner: 'gitea', labels: ['linux'], idleSeconds: 300, warm, ...given })];
    deps = makeLaunchDeps({ profiles, nowEpochMs: () => now });
    const [pool] = warmPoolsOf({ profiles, agentLimits: [] }, gitea);
    if (pool === undefined) throw new TypeError('the profile keeps warm agents');
    const launchIds = [1, 2].map((number) => warmLaunchId(system, 'pool', number));
    for (const [index, launchId] of launchIds.entries()) {
      const plan = planLaunch(pool.profile, { launchId, join: pool.join }, now - 1000 + index);
      await deps.launches.request(newRecord(plan));
      await deps.registrations.standBy({ launchId, agentName: agentNameOf(launchId) }, now);
    }
    return launchIds;
  }

  async function summonedFor(launchId = ''): Promise<string | undefined> {
    return (await deps.launches.get(launchId))?.standby?.summons?.jobKey;
  }

  test('summons the oldest agent that stands by, and requests a launch of its own', async () => {
    const [first, second] = await withStanding();

    expect(await deliver('queued', 8)).toMatchObject({ status: 202, body: { launchId: launchOf(8) } });

    expect(await summonedFor(first)).toBe('gitea/7/8/1');
    expect(await summonedFor(second)).toBeUndefined();
    expect(deps.executions.started.get(launchOf(8))?.plan).toMatchObject({ summoned: first });
  });

  test('summons no second agent when its event comes again, and another job does', async () => {
    const [, second] = await withStanding();
    await deliver('queued', 8);

    await deliver('queued', 8);
    const afterRepeat = await summonedFor(second);
    await deliver('queued', 9);

    expect(afterRepeat).toBeUndefined();
    expect(await summonedFor(second)).toBe('gitea/7/9/1');
  });

  test('summons an agent once although it waits for a slot itself', async () => {
    const [first, second] = await withStanding({ maxAgents: 1 });
    await deps.slots.take({ key: 'profile/default', of: 'profile default', maxAgents: 1 }, 'another', {
      launchId: 'another',
      repository: '',
      takenAtEpochMs: now,
    });

    await deliver('queued', 8);
    await deliver('queued', 8);

    expect(deps.executions.started.size).toBe(0);
    expect(await summonedFor(first)).toBe('gitea/7/8/1');
    expect(await summonedFor(second)).toBeUndefined();
  });
});
