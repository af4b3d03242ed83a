import type { Profile } from '../../../../core/config/config.ts';
import type { JobRecord } from '../../../../core/job/job-record.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { CiWorld } from '../../../support/ci-world.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const minuteMs = 60_000;
const linux = makeProfile({ runner: 'gitea', labels: ['linux'], idleSeconds: 300, tellAfterSeconds: 7200 });
let world: CiWorld;

beforeEach(() => begin([linux]));

async function begin(profiles: readonly Profile[], maxAgents?: number): Promise<void> {
  world = new CiWorld(profiles);
  const place = { repository: { owner: 'acme', name: 'app' }, organization: 'acme' };
  await world.deps.jobs.noteRepository('gitea', place, world.nowEpochMs);
  if (maxAgents === undefined) return;
  const agentLimits = [{ organizations: ['acme'], maxAgents }];
  for (const deps of [world.deps, world.reconcileDeps]) deps.agentLimits = agentLimits;
}

async function queue(labels = ['linux']): Promise<FakeJob> {
  const job = world.ci.queue({ labels, queuedAtEpochMs: world.nowEpochMs, sha: 'c0ffee' });
  await world.deliver('queued', job);
  return job;
}

/** Reconciles each minute, and does after each round what the agents and the clean-up do. */
async function pass(minutes: number, act: () => Promise<void> = connectAll): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await world.nextRound();
    await world.retire();
    await world.sweep();
    await act();
  }
}

async function connectAll(): Promise<void> {
  for (const launch of await world.launches()) if (launch.status === 'launching') await world.connect(launch);
}

async function endAll(endingOf: (launch: LaunchRecord) => Parameters<typeof end>[1]): Promise<void> {
  for (const launch of await world.launches()) await end(launch.launchId, endingOf(launch));
}

async function end(
  launchId: string,
  {
    outcome,
    code,
    message,
    by,
  }: Record<'code' | 'message' | 'by', string> & {
    outcome: 'failed' | 'terminated';
  },
): Promise<void> {
  await world.deps.launches.end(launchId, { outcome, code, message, by, atEpochMs: world.nowEpochMs });
}

const noImage = { outcome: 'failed', code: 'ImagePullFailed', message: 'no image', by: 'the state machine' } as const;
const exited = {
  outcome: 'terminated',
  code: 'Terminated',
  message: 'it exited with 0',
  by: 'the agent exited',
} as const;

async function recordOf({ id }: FakeJob): Promise<JobRecord | undefined> {
  return world.deps.jobs.get({ ciSystem: 'gitea', repositoryId: 7, jobId: id, attempt: 1 });
}

/** Lets each agent that may take a job run the oldest one for less than a minute. */
async function runOldest(): Promise<void> {
  await connectAll();
  for (const { runner } of await world.launches()) {
    const job = world.ci.assign(runner?.id ?? 0);
    if (job === undefined) continue;
    await world.deliver('in_progress', job);
    world.ci.complete(job);
    await world.deliver('completed', job);
  }
}

describe('a job whose CI system assigns nothing for an hour', () => {
  test('gets one agent after another, and runs once the CI system assigns again', async () => {
    const job = await queue();
    await connectAll();

    await pass(60);
    await pass(8, runOldest);

    expect(world.requested.length).toBeGreaterThan(4);
    expect(job.status).toBe('completed');
  });

  test('has no limit of launches that the next ten hours could reach', async () => {
    const job = await queue();

    await pass(600);
    await pass(8, runOldest);

    expect(world.requested.length).toBeGreaterThan(60);
    expect(new Set(world.requested).size).toBe(world.requested.length);
    expect(job.status).toBe('completed');
  });
});

describe('an agent that runs another job', () => {
  test('is no failure of the job that it was launched for, however many are taken', async () => {
    const gpu = makeProfile({ name: 'gpu', runner: 'gitea', labels: ['linux', 'gpu'], idleSeconds: 300, priority: 1 });
    await begin([linux, gpu], 2);
    for (let index = 0; index < 12; index += 1) await queue();
    const wanted = await queue(['linux', 'gpu']);

    await pass(40, runOldest);

    expect(world.requested.filter((launchId) => launchId.startsWith(`gitea-7-${wanted.id}-`)).length).toBeGreaterThan(
      4,
    );
    expect(wanted.status).toBe('completed');
  });
});

describe('a job whose launches fail', () => {
  /** Fails each launch at once. @returns the minutes at which each was requested */
  async function failFor(minutes: number, ending: typeof noImage | typeof exited = noImage): Promise<number[]> {
    const at: number[] = [];
    const beganAtEpochMs = world.nowEpochMs;
    await pass(minutes, async () => {
      if (ending === exited) await connectAll();
      await endAll(({ requestedAtEpochMs }) => {
        at.push(Math.round((requestedAtEpochMs - beganAtEpochMs) / minuteMs));
        return ending;
      });
    });
    return at;
  }

  test('gets the next ones after 1, 5 and 15 minutes, and then one each 15 minutes', async () => {
    await queue();

    expect(await failFor(75)).toEqual([0, 3, 8, 23, 38, 53, 68]);
  });

  test('says in its record and on its commit that it has no tries left, and runs once its launches work', async () => {
    const job = await queue();

    await failFor(30);
    const record = await recordOf(job);
    const [status] = world.ci.statuses.values();
    await pass(20, runOldest);

    expect(record?.notLaunched).toBe(
      'its last 4 launches failed, the latest: no image; davit tries again at 2026-11-22T12:38:00.000Z, each 15 minutes',
    );
    expect(status?.description).toBe('4 launches failed, davit tries again each 15 minutes. no image');
    expect(job.status).toBe('completed');
  });

  test('has its tries back after an hour', async () => {
    const job = await queue();
    await failFor(30);
    world.ci.isDown = true;
    await pass(60);
    world.ci.isDown = false;
    await pass(3, async () => {});
    await endAll(() => noImage);

    await pass(3);

    expect(world.requested.at(-1)).toBe(`gitea-7-${job.id}-1-x5`);
  });

  test('counts agents that exit as soon as they have connected, and does not launch one each minute', async () => {
    await queue();

    expect((await failFor(60, exited)).length).toBeLessThan(8);
  });
});

test('an agent that a person ended is no failure of its job', async () => {
  const job = await queue();
  const byPerson = { outcome: 'terminated', code: 'Terminated', message: 'ended', by: 'DELETE /launches' } as const;

  await pass(12, () => endAll(() => byPerson));
  await pass(6, runOldest);

  expect(world.requested.length).toBeGreaterThan(4);
  expect(job.status).toBe('completed');
});
