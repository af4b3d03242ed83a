import { isStandingBy, type LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { LinuxWorld } from './linux-world.ts';

const minuteMs = 60_000;
let world: LinuxWorld;

beforeEach(async () => {
  world = await LinuxWorld.open({ warm: { agents: 2, organizations: ['acme'] } });
});

/** Launches the pool's warm agents, a minute after each other, and lets them stand by. @returns them, oldest first */
async function standBy(): Promise<LaunchRecord[]> {
  await world.rounds(2);
  for (const launch of await world.launches()) await world.standBy(launch);
  return (await world.launches()).toSorted((one, other) => one.launchId.localeCompare(other.launchId));
}

/** Lets agents stand by, and a round summon one of them for a job whose webhook is lost. */
async function summonOne(): Promise<{ job: FakeJob; called: LaunchRecord | undefined }> {
  await standBy();
  const job = world.queueUnseen();
  await world.nextRound();
  return { job, called: (await world.launches()).find(({ standby }) => standby?.summons !== undefined) };
}

async function summoned(): Promise<(string | undefined)[]> {
  const launches = await world.launches();
  return launches.flatMap(({ standby }) => standby?.summons?.jobKey ?? []);
}

describe('agents that stand by', () => {
  test('are the warm agents of their pool: none is launched, and none is retired for being idle', async () => {
    const standing = await standBy();

    const repairs = await world.rounds(20);

    expect(repairs).toEqual([]);
    expect((await world.launches()).filter(isStandingBy)).toHaveLength(standing.length);
  });

  test('are summoned in the first round that sees a job for which no agent is registered, and it needs no launch of its own', async () => {
    await standBy();
    const job = world.queueUnseen();

    await world.rounds(3);

    expect(await summoned()).toEqual([`gitea/${job.repositoryId}/${job.id}/1`]);
    expect(world.requested.filter((launchId) => !launchId.includes('-warm-'))).toEqual([]);
  });

  test('are not summoned for a job for which an agent is registered already', async () => {
    const [first] = await standBy();
    world.queueUnseen();
    await world.nextRound();
    for (const launch of await world.launches()) if (!isStandingBy(launch)) await world.connect(launch);

    await world.rounds(2);

    expect(first && (await summoned())).toHaveLength(1);
  });

  test('take turns: another one is summoned when the first has ended without the job', async () => {
    const { called: gone } = await summonOne();
    const exited = { outcome: 'terminated', code: 'Terminated', message: 'gone', by: 'the agent exited' } as const;
    await world.end(gone?.launchId, exited);

    await world.nextRound();

    expect(await summoned()).toHaveLength(1);
    expect((await world.launches()).some(({ launchId }) => launchId === gone?.launchId)).toBe(false);
  });

  test('that do not come within two minutes of their summons are retired, and the job gets another agent', async () => {
    const { called: unheard } = await summonOne();

    world.nowEpochMs += 2 * minuteMs;
    await world.rounds(2);

    expect(await world.deps.launches.get(unheard?.launchId ?? '')).toMatchObject({
      ending: { message: 'its agent was summoned, and has not come' },
    });
    expect(await summoned()).toHaveLength(1);
  });

  test('are retired when nobody wants them, without a request to the CI system', async () => {
    await standBy();
    world.reconcileDeps.profiles = world.deps.profiles.map(({ warm: _warm, ...profile }) => profile);

    const repairs = await world.rounds(3);

    expect(repairs).toEqual(['SurplusRetired', 'SurplusRetired']);
    expect(await world.launches()).toEqual([]);
    expect(world.asked('removeIfIdle')).toEqual([]);
  });

  test('stay, and an idle registered agent goes, when there is one too many', async () => {
    const { job, called } = await summonOne();
    if (called !== undefined) await world.connect(called);
    job.status = 'cancelled';
    await world.deliver('completed', job);
    world.reconcileDeps.profiles = world.deps.profiles.map((profile) => ({
      ...profile,
      warm: { agents: 1, organizations: ['acme'] },
    }));

    await world.rounds(3);

    const left = await world.launches();
    expect(left.map(({ launchId }) => launchId)).not.toContain(called?.launchId);
    expect(left.filter(isStandingBy)).toHaveLength(1);
  });
});
