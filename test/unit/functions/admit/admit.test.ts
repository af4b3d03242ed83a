import type { Profile } from '../../../../core/config/config.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { jobKeyOf } from '../../../../core/job/job-id.ts';
import type { JobStatus, SeenJob } from '../../../../core/job/job-record.ts';
import { isOver } from '../../../../core/launch/launch-record.ts';
import type { AgentLimit } from '../../../../core/limits/agent-limit.ts';
import { holderOf } from '../../../../core/limits/slot-holder.ts';
import { slotLimitsOf } from '../../../../core/limits/slot-limits.ts';
import { admit } from '../../../../functions/admit/admit.ts';
import { answerCompleted, answerRegisteredJob } from '../../../../functions/webhook/answer-job.ts';
import { beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
import { CiWorld, worldsGitea } from '../../../support/ci-world.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { readAnswer } from '../../../support/read-answer.ts';
import { seenJob } from '../../../support/seen-job.ts';

const ending = { outcome: 'terminated', code: 'Terminated', message: 'done', by: 'a test', atEpochMs: 0 } as const;
const actor = { kind: 'person', name: 'a test' } as const;

const sizes = { cpu: { max: '8' } };

/** A world whose webhooks are delivered, and whose agents end on the test's command. */
class LimitedWorld extends CiWorld {
  constructor(maxAgents: number | undefined, limits: readonly AgentLimit[] = []) {
    const given: Partial<Profile> = maxAgents === undefined ? {} : { maxAgents };
    super([makeProfile({ name: 'linux', labels: ['linux'], runner: 'gitea', expose: 'none', sizes, ...given })]);
    this.deps.agentLimits = limits;
    this.reconcileDeps.agentLimits = limits;
  }

  eventOf(jobId: number, name = 'app', status: JobStatus = 'queued', labels = ['linux']): SeenJob {
    const repository = { owner: 'acme', name };
    const given = { jobId, repositoryId: name.length, repository, name: `job ${jobId}`, status, labels };
    return seenJob({ ...given, queuedAtEpochMs: this.nowEpochMs });
  }

  async queue(id: number, name?: string, labels?: string[]) {
    this.nowEpochMs += 10;
    const event = this.eventOf(id, name, 'queued', labels);
    const { repositoryId, repository, labels: wanted, name: title } = event;
    if (!this.ci.jobs.some((job) => job.id === id))
      this.ci.queue({ id, name: title, labels: wanted, repository, repositoryId: Number(repositoryId) });
    return readAnswer(await answerRegisteredJob(this.deps, worldsGitea, event));
  }

  /** Ends a launch, including its clean-up, and then does what the table's stream triggers. */
  async end(launchId: string): Promise<void> {
    await this.deps.launches.end(launchId, { ...ending, actor });
    await this.deps.launches.markCleaned(launchId, this.nowEpochMs);
    await admit(this.deps, { launchId });
  }

  /** The repositories of the launches that are not over. */
  async open(): Promise<string[]> {
    const page = await this.deps.launches.list({ statuses: ['launching', 'connected', 'cleaning'], limit: 1000 });
    return (page?.launches ?? []).map(({ plan }) => plan?.job?.repository ?? '');
  }
}

let world: LimitedWorld;
beforeEach(() => {
  world = new LimitedWorld(1);
});

/** Takes davit's credential for the CI system away: nothing but an admission launches. */
function takeCredential(): Profile {
  const [{ runner: _runner, ...profile } = makeProfile()] = world.deps.profiles;
  world.deps.profiles = [profile];
  world.reconcileDeps.profiles = [profile];
  return profile;
}

test('the slot of a launch whose clean-up still runs goes to nobody, whether by admit or by reconcile', async () => {
  await world.queue(1);
  await world.queue(2);
  await world.deps.launches.end('gitea-3-1-1', { ...ending, actor });

  await admit(world.deps, { launchId: 'gitea-3-1-1' });
  await world.nextRound();
  const whileCleaning = await world.deps.launches.get('gitea-3-2-1');
  await world.deps.launches.markCleaned('gitea-3-1-1', world.nowEpochMs);
  await admit(world.deps, { launchId: 'gitea-3-1-1' });

  expect(whileCleaning).toBeUndefined();
  expect(await world.deps.launches.get('gitea-3-2-1')).toMatchObject({ status: 'launching' });
});

describe('a queued job', () => {
  test('is launched while there is room, and waits with its reason and without an execution when there is none', async () => {
    world = new LimitedWorld(2);

    const answers = [await world.queue(1), await world.queue(2), await world.queue(3)];

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 200]);
    expect(answers[2]?.body).toEqual({
      ignored: true,
      reason: 'the job waits for its turn: 2 of 2 agents of profile linux',
    });
    expect(world.deps.executions.started.size).toBe(2);
  });

  test('that waits for a slot keeps its size', async () => {
    await world.queue(1);
    await world.queue(2, 'app', ['linux', 'davit/cpu=4']);

    await world.end('gitea-3-1-1');

    expect((await world.deps.launches.get('gitea-3-2-1'))?.plan).toMatchObject({
      size: { cpu: '4' },
      join: { labels: ['linux', 'davit/cpu=4'] },
    });
  });

  test('whose event is delivered twice is launched once, and holds one slot', async () => {
    world = new LimitedWorld(2);

    const answers = await Promise.all([world.queue(1), world.queue(1)]);
    const again = await world.queue(1);

    expect(answers.map(({ status }) => status)).toContain(202);
    expect(again).toMatchObject({ status: 200, body: { duplicate: true } });
    expect(await world.open()).toHaveLength(1);
    expect((await world.deps.slots.get('profile/linux')).size).toBe(1);
  });

  test('is launched at once although the index of waiting jobs is behind', async () => {
    world.deps.jobs.listLimited = async () => [];

    const { status } = await world.queue(1);

    expect(status).toBe(202);
    expect(world.requested).toEqual(['gitea-3-1-1']);
  });

  test('counts for its organization and its repository as well', async () => {
    world = new LimitedWorld(undefined, [
      { repositories: ['acme/app'], maxAgents: 1 },
      { organizations: ['acme'], maxAgents: 2 },
    ]);

    const answers = [
      await world.queue(1),
      await world.queue(2),
      await world.queue(3, 'lib'),
      await world.queue(4, 'other'),
    ];

    expect(answers.map(({ body }) => body['reason'])).toEqual([
      undefined,
      'the job waits for its turn: 1 of 1 agents of acme/app',
      undefined,
      'the job waits for its turn: 2 of 2 agents of acme',
    ]);
  });
});

describe('when an agent ends', () => {
  test('the next job is launched at once', async () => {
    for (const id of [1, 2, 3]) await world.queue(id);

    await world.end('gitea-3-1-1');
    const afterOne = [...world.requested];
    await world.end('gitea-3-2-1');

    expect(afterOne).toEqual(['gitea-3-1-1', 'gitea-3-2-1']);
    expect(world.requested).toEqual(['gitea-3-1-1', 'gitea-3-2-1', 'gitea-3-3-1']);
  });
});

describe('reconciling', () => {
  test('admits jobs even if no event reports the free slot', async () => {
    for (const id of [1, 2]) await world.queue(id);
    await world.deps.launches.end('gitea-3-1-1', { ...ending, actor });
    await world.deps.launches.markCleaned('gitea-3-1-1', world.nowEpochMs);

    const { limited } = await world.reconcile();

    expect(world.requested).toEqual(['gitea-3-1-1', 'gitea-3-2-1']);
    expect(limited).toMatchObject([{ ciSystem: 'gitea', limit: 'profile/linux', jobs: 1 }]);
  });

  test('frees the slot of a request that died, once it can no longer launch', async () => {
    const [limit] = slotLimitsOf([], { name: 'linux', maxAgents: 1 });
    if (limit === undefined) throw new Error('there is a limit');
    const launchId = 'gitea-3-99-1';
    const dead = { attempt: 'dead', limits: [limit.key] };
    const slot = { launchId, repository: 'acme/app', takenAtEpochMs: world.nowEpochMs };
    await world.deps.slots.take(limit, holderOf(launchId, dead), slot);
    await world.queue(1);

    world.nowEpochMs += 60_000;
    await world.reconcile();
    const early = [...world.requested];
    world.nowEpochMs += 61_000;
    await world.reconcile();

    const buried = await world.deps.launches.get(launchId);
    expect(early).toEqual([]);
    expect(buried && isOver(buried)).toBe(true);
    expect(world.requested.at(-1)).toBe('gitea-3-1-1');
  });

  test('puts back the slot of a launch that lost it', async () => {
    await world.queue(1);
    const [[holder] = []] = await world.deps.slots.get('profile/linux');
    await world.deps.slots.free('profile/linux', holder ?? '');
    await world.queue(2);
    const over = await world.open();

    await world.reconcile();
    await world.queue(3);

    expect(over).toHaveLength(2);
    expect(await world.open()).toHaveLength(2);
    expect((await world.deps.slots.get('profile/linux')).has(holder ?? '')).toBe(true);
  });

  test('continues with the other jobs when a service does not answer', async () => {
    for (const id of [1, 2]) await world.queue(id);
    let failures = 1;
    beforeCalls(world.deps.slots, 'get', () => {
      failures -= 1;
      if (failures === 0) throw new TransientError('StoreUnavailable', 'DynamoDB did not answer');
    });

    const report = await world.reconcile();

    expect(report.complete).toBe(false);
    expect(report.errors.map(({ subject }) => subject)).toContain('the slots of profile/linux');
  });
});

test('a job of a CI system in which davit has no credential waits, is admitted, and is forgotten when it is over', async () => {
  takeCredential();
  for (const id of [1, 2, 3]) await world.queue(id);

  await answerCompleted(world.deps, worldsGitea, world.eventOf(2, 'app', 'completed'));
  await world.end('gitea-3-1-1');

  const waiting = await world.deps.jobs.listLimited('gitea');
  expect(world.deps.executions.started.has('gitea-3-3-1')).toBe(true);
  expect(world.deps.executions.started.has('gitea-3-2-1')).toBe(false);
  expect(waiting.map(({ jobKey }) => jobKey)).not.toContain(
    jobKeyOf({ ciSystem: 'gitea', repositoryId: 3, jobId: 2, attempt: 1 }),
  );
});

test.each(['request', 'claimLaunch'] as const)(
  'a job that nothing else launches is launched when its admission dies at %s',
  async (call) => {
    takeCredential();
    for (const id of [1, 2]) await world.queue(id);
    const { launches, jobs } = world.deps;
    const killed = new Error('killed');
    const restore = call === 'request' ? refuseCalls(launches, call, killed) : refuseCalls(jobs, call, killed);
    await expect(world.end('gitea-3-1-1')).rejects.toThrow('killed');
    restore();

    for (let minute = 0; minute < 4; minute += 1) await world.nextRound();

    const live = await world.deps.launches.list({ statuses: ['launching'], limit: 10 });
    expect(live?.launches.map(({ plan }) => plan?.job?.name)).toEqual(['job 2']);
  },
);
