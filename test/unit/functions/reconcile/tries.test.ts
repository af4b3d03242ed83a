import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { byPerson, LinuxWorld, linuxProfile, noImage } from './linux-world.ts';

const minuteMs = 60_000;
const labels = ['linux', 'gpu'];
let world: LinuxWorld;

beforeEach(async () => {
  const gpu = linuxProfile({ name: 'gpu', labels, priority: 1 });
  world = await LinuxWorld.open({ tellAfterSeconds: 7200 }, [gpu]);
});

const queue = (given: Partial<FakeJob> = {}) => world.queue({ sha: 'c0ffee', ...given });
const connectAll = async () => void (await world.connectAll());

/** Reconciles each minute, and does after each round what the agents and the clean-up do. */
async function pass(minutes: number, act: () => Promise<void> = connectAll): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await world.rounds(1);
    await act();
  }
}

async function endAll(endingOf: (launch: LaunchRecord) => Parameters<typeof world.end>[1]): Promise<void> {
  for (const launch of await world.launches()) await world.end(launch.launchId, endingOf(launch));
}

const message = 'it exited with 0';
const exited = { outcome: 'terminated', code: 'Terminated', message, by: 'the agent exited' } as const;

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

test('a job whose CI system assigns nothing for ten hours gets agent after agent, and runs once it assigns again', async () => {
  const job = await queue();

  await pass(600);
  await pass(8, runOldest);

  expect(world.requested.length).toBeGreaterThan(60);
  expect(new Set(world.requested).size).toBe(world.requested.length);
  expect(job.status).toBe('completed');
});

describe('an agent that runs another job', () => {
  test('is no failure of the job that it was launched for, however many are taken', async () => {
    const agentLimits = [{ organizations: ['acme'], maxAgents: 2 }];
    for (const deps of [world.deps, world.reconcileDeps]) deps.agentLimits = agentLimits;
    for (let index = 0; index < 12; index += 1) await queue();
    const wanted = await queue({ labels });

    await pass(40, runOldest);

    const launched = world.requested.filter((launchId) => launchId.startsWith(`gitea-7-${wanted.id}-`));
    expect(launched.length).toBeGreaterThan(4);
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
    const record = await world.deps.jobs.get({ ciSystem: 'gitea', repositoryId: 7, jobId: job.id, attempt: 1 });
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

  await pass(12, () => endAll(() => byPerson));
  await pass(6, runOldest);

  expect(world.requested.length).toBeGreaterThan(4);
  expect(job.status).toBe('completed');
});
