import type { WarmAgents } from '../../../../core/agent/warm-agents.ts';
import { scopeText } from '../../../../core/ci/ci-scope.ts';
import type { Profile } from '../../../../core/config/config.ts';
import { TerminalError } from '../../../../core/errors/errors.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { beforeCalls } from '../../../support/around-calls.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { LinuxWorld, linuxProfile } from './linux-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
let world: LinuxWorld;

beforeEach(async () => {
  world = await makeWorld({ agents: 2 });
});

/** A world in which an organization has warm agents. It begins on a Sunday, 13:00 in Berlin. */
async function makeWorld(
  warm: Partial<WarmAgents>,
  profile: Partial<Profile> = {},
  others: readonly Profile[] = [],
): Promise<LinuxWorld> {
  const made = await LinuxWorld.open({ warm: { agents: 0, organizations: ['acme'], ...warm }, ...profile }, others);
  await made.know('app', 'umbrella');
  return made;
}

const connectAll = () => world.connectAll();

/** Connects the pool's warm agents. */
async function warmUp(): Promise<LaunchRecord[]> {
  await world.rounds(2);
  return connectAll();
}

const start = (agent: LaunchRecord | undefined) => world.start(agent?.runner?.id);
const queue = (owner = 'acme', labels = ['linux']): Promise<FakeJob> =>
  world.queue({ repository: { owner, name: 'app' }, labels });

describe('a pool with warm agents', () => {
  test('gets them when two looks agree, without a job, and no more later', async () => {
    const first = await world.nextRound();
    const second = await world.nextRound();
    const later = await world.rounds(5);

    expect(first.repairs).toEqual([]);
    expect(second.repairs).toMatchObject([
      { repair: 'WarmRequested', reason: 'profile linux keeps 2 idle agents' },
      { repair: 'WarmRequested' },
    ]);
    expect(later).toEqual([]);
    expect(await world.launches()).toEqual([
      expect.objectContaining({ plan: expect.not.objectContaining({ jobKey: expect.anything() }) }),
      expect.objectContaining({
        plan: expect.objectContaining({ join: expect.objectContaining({ labels: ['linux'] }) }),
      }),
    ]);
  });

  test('gets each one once from two rounds at once', async () => {
    await world.nextRound();
    world.nowEpochMs += minuteMs;
    await Promise.all([world.reconcile(), world.reconcile()]);

    expect(world.requested).toHaveLength(2);
  });

  test('gets none again from a round after one that died, although the index does not have them yet', async () => {
    await world.nextRound();
    const { jobs, launches } = world.deps;
    jobs.keepLook = async () => {
      throw new Error('died');
    };
    launches.list = async () => ({ launches: [], unreadable: [] });

    await world.rounds(2);

    expect(world.requested).toHaveLength(2);
  });

  test('gets none when the CI system does not know its organization, and other pools are not affected', async () => {
    world = await makeWorld({ agents: 1, organizations: ['acne', 'acme'] });
    beforeCalls(world.ci, 'findRunners', (scope) => {
      if (scopeText(scope) === 'acne') throw new TerminalError('CiRefused', 'gitea: GET /orgs/acne: 404', {});
    });
    await world.nextRound();

    const { repairs, errors } = await world.nextRound();

    expect(errors).toEqual([
      { subject: 'jobs and runners of acne', message: expect.stringContaining('/orgs/acne: 404') },
    ]);
    expect(repairs).toHaveLength(1);
    expect((await world.launches()).map(({ plan }) => plan?.join?.scope)).toEqual([{ organization: 'acme' }]);
  });

  test('gives a job one of them at once: its own launch takes the place', async () => {
    const [agent] = await warmUp();
    await queue();
    const job = await start(agent);
    await connectAll();

    const repairs = await world.rounds(8);

    expect(repairs).toEqual([]);
    expect(world.requested.filter((launchId) => launchId.includes('warm'))).toHaveLength(2);
    expect(await world.launches()).toHaveLength(3);
    world.ci.complete(job);
    await world.deliver('completed', job);
    expect(await world.rounds(8)).toEqual([]);
    expect(await world.launches()).toHaveLength(2);
  });

  test('loses the surplus when a job is cancelled', async () => {
    await warmUp();
    const job = await queue();
    await connectAll();
    job.status = 'cancelled';
    await world.deliver('completed', job);

    const repairs = await world.rounds(4);

    expect(repairs).toEqual(['SurplusRetired']);
    expect(await world.launches()).toHaveLength(2);
  });

  test('gets a new one when one is gone, after a pause, because it ended without a job', async () => {
    const [agent] = await warmUp();
    world.ci.runners.delete(agent?.runner?.id ?? 0);
    await world.sweep();

    const soon = await world.rounds(4);
    const repairs = await world.rounds(3);

    expect(soon).toEqual([]);
    expect(repairs).toEqual(['WarmRequested']);
    expect(new Set(world.requested).size).toBe(3);
  });

  test('gets one more for a number of running jobs', async () => {
    world = await makeWorld({ agents: 1, burst: { perRunning: 2 } });
    await warmUp();
    for (const _ of [1, 2]) {
      await queue();
      const launches = await connectAll();
      await start(launches.find(({ runs }) => runs === undefined));
    }

    const repairs = await world.rounds(3);

    expect(repairs).toEqual(['WarmRequested']);
    expect((await world.launches()).filter(({ runs }) => runs === undefined)).toHaveLength(2);
  });

  test('gets no other one for five minutes after one has failed, and then one at a time until one has lived as long', async () => {
    await world.rounds(2);
    for (const { launchId } of await world.launches()) await world.end(launchId);

    const soon = await world.rounds(4);
    const later = await world.rounds(2);
    const tried = await world.rounds(3);
    const proved = await world.rounds(3);

    expect(soon).toEqual([]);
    expect([later, tried, proved]).toEqual([['WarmRequested'], [], ['WarmRequested']]);
  });

  test('whose agents exit at once gets ten of them in three hours, and not one in each round', async () => {
    world = await makeWorld({ agents: 5 });
    let requested = 0;
    for (let minute = 0; minute < 180; minute += 1) {
      requested += (await world.rounds(1)).filter((repair) => repair === 'WarmRequested').length;
      const exited = { outcome: 'terminated', code: 'Terminated', message: 'exit 0', by: 'the agent exited' } as const;
      const actor = { kind: 'davit', name: 'sweep/AgentExited' } as const;
      for (const { launchId } of await world.launches()) await world.end(launchId, { ...exited, actor });
    }

    expect(requested).toBeGreaterThanOrEqual(5);
    expect(requested).toBeLessThanOrEqual(10);
  });
});

describe('warm agents', () => {
  test('stay idle for longer than idleSeconds, and one over the target does not', async () => {
    await warmUp();
    await queue();
    world.ci.jobs.splice(0);
    const connected = await connectAll();
    world.nowEpochMs += 6 * minuteMs;

    await world.rounds(1);

    const left = (await world.launches()).map(({ launchId }) => launchId);
    expect(left).toHaveLength(2);
    expect(connected.map(({ launchId }) => launchId)).toEqual(expect.arrayContaining(left));
    expect(await world.rounds(10)).toEqual([]);
  });

  test('of a schedule begin and end with it, oldest first, and a busy one ends by its job', async () => {
    const hours = { from: '13:02', to: '13:30', timeZone: 'Europe/Berlin' };
    world = await makeWorld({ agents: 1, schedules: [{ ...hours, days: ['sun'], agents: 3 }] });
    const [oldest] = await warmUp();
    expect(await world.rounds(3)).toEqual(['WarmRequested', 'WarmRequested']);
    await connectAll();
    await queue();
    const job = await start(oldest);
    const [, second] = await connectAll();
    await world.rounds(20);
    expect(await world.launches()).toHaveLength(4);

    const repairs = await world.rounds(12);

    expect(repairs).toEqual(['IdleRetired', 'IdleRetired']);
    expect(world.killed).toEqual([]);
    const left = await world.launches();
    expect(left).toHaveLength(2);
    expect(left.map(({ launchId }) => launchId)).toContain(oldest?.launchId);
    expect(left.map(({ launchId }) => launchId)).not.toContain(second?.launchId);
    world.ci.complete(job);
  });

  test('are replaced after half a day, and others are connected before they go', async () => {
    const before = await warmUp();
    world.nowEpochMs += 12 * hourMs;

    const repairs = [];
    let fewest = Infinity;
    for (let round = 0; round < 6; round += 1) {
      repairs.push(...(await world.rounds(1)));
      const connected = (await connectAll()).filter(({ status }) => status === 'connected');
      fewest = Math.min(fewest, connected.length);
    }

    expect(repairs).toEqual(['WarmRequested', 'WarmRequested', 'IdleRetired', 'IdleRetired']);
    expect(fewest).toBe(2);
    const left = new Set((await world.launches()).map(({ launchId }) => launchId));
    expect(left.size).toBe(2);
    for (const { launchId } of before) expect(left).not.toContain(launchId);
  });

  test('are replaced only by others that have connected, however many rounds see those launching', async () => {
    await warmUp();
    world.nowEpochMs += 12 * hourMs;
    const requested = await world.rounds(2);
    const launching = (await world.launches()).filter(({ status }) => status === 'launching');

    const early = await world.rounds(5);
    for (const launch of launching.slice(0, 1)) await world.connect(launch);
    const one = await world.rounds(3);
    await connectAll();
    const other = await world.rounds(3);

    expect(requested).toEqual(['WarmRequested', 'WarmRequested']);
    expect(early).toEqual([]);
    expect(one).toEqual(['IdleRetired']);
    expect(other).toEqual(['IdleRetired']);
    expect((await world.launches()).map(({ launchId }) => launchId)).toEqual(launching.map(({ launchId }) => launchId));
  });

  test('are replaced one after another when there is no room for more', async () => {
    world = await makeWorld({ agents: 2 }, { maxAgents: 2 });
    await warmUp();
    world.nowEpochMs += 18 * hourMs;

    let fewest = Infinity;
    for (let round = 0; round < 20; round += 1) {
      await world.rounds(1);
      fewest = Math.min(fewest, (await connectAll()).length);
    }

    expect(fewest).toBe(1);
    expect(world.requested).toHaveLength(4);
    expect(await world.launches()).toHaveLength(2);
  });
});

describe('under limits', () => {
  test('a job of another pool that waits for a slot gets one of a warm agent', async () => {
    world = await makeWorld({ agents: 2 }, { maxAgents: 2 });
    await warmUp();
    await queue('umbrella');
    expect(world.requested).toHaveLength(2);

    const repairs = await world.rounds(6);

    expect(repairs).toContain('SurplusRetired');
    const ofUmbrella = (await world.launches()).filter(({ plan }) => plan?.jobKey !== undefined);
    expect(ofUmbrella).toHaveLength(1);
    expect(await world.launches()).toHaveLength(2);
  });

  test('a job with a size gets a slot of a warm agent, which has no size', async () => {
    world = await makeWorld({ agents: 2 }, { maxAgents: 2, sizes: { cpu: { max: '8' } } });
    await warmUp();
    await queue('acme', ['linux', 'davit/cpu=4']);

    await world.rounds(6);

    const launches = await world.launches();
    expect(launches).toHaveLength(2);
    expect(launches.map(({ plan }) => plan?.size).filter((size) => size !== undefined)).toEqual([{ cpu: '4' }]);
  });

  test("a job of another pool gets the only one's slot, when a limit left no room for all", async () => {
    world = await makeWorld({ agents: 2 }, { maxAgents: 2 });
    await queue('umbrella');
    const [agent] = await connectAll();
    await start(agent);
    await warmUp();
    await queue('umbrella');
    expect(world.requested).toHaveLength(2);

    await world.rounds(6);

    const left = await world.launches();
    expect(left.map(({ plan }) => plan?.jobKey)).not.toContain(undefined);
    expect(left).toHaveLength(2);
  });

  test('a job of their own pool takes none of their slots', async () => {
    world = await makeWorld({ agents: 2 }, { maxAgents: 2 });
    const [agent] = await warmUp();
    await queue();
    await world.rounds(3);
    await start(agent);

    expect(await world.rounds(6)).toEqual([]);
    expect(world.killed).toEqual([]);
    expect(await world.launches()).toHaveLength(2);
  });

  test("a job of another pool gets a warm agent's slot of its repository, which the pool's limits do not count", async () => {
    world = await makeWorld({ agents: 1 }, {}, [linuxProfile({ name: 'mac', labels: ['mac'] })]);
    for (const deps of [world.deps, world.reconcileDeps]) {
      deps.agentLimits = [{ repositories: ['acme/app'], maxAgents: 1 }];
    }
    const cancelled = await queue();
    const [agent] = await connectAll();
    cancelled.status = 'cancelled';
    await world.deliver('completed', cancelled);
    await queue('acme', ['mac']);
    expect(world.requested).toEqual([agent?.launchId]);

    await world.rounds(6);

    expect((await world.launches()).map(({ plan }) => plan?.profile)).toContain('mac');
  });
});
