import { aroundCalls } from '../../../support/around-calls.ts';
import { LinuxWorld } from './linux-world.ts';

const minuteMs = 60_000;
let world: LinuxWorld;

beforeEach(async () => {
  world = await LinuxWorld.open({ idleSeconds: 3600 });
});

describe('an agent whose runner the CI system has forgotten', () => {
  /** Launches an agent for a job. It runs an older job to its end, and no event of that job arrives. */
  async function launchSpent() {
    const older = world.queueUnseen();
    const { launchId, runnerId } = await world.launchFor();
    expect(world.ci.assign(runnerId)).toBe(older);
    world.ci.complete(older);
    return launchId;
  }

  test('is none for a queued job: the job gets another one', async () => {
    const launchId = await launchSpent();
    await world.nextRound();

    const { repairs } = await world.nextRound();

    expect(repairs).toMatchObject([{ repair: 'ReplacementRequested', subject: `${launchId}-x1` }]);
  });

  test('makes no other agent one too many', async () => {
    await launchSpent();
    const withdrawn = await world.queue();
    withdrawn.status = 'cancelled';
    await world.nextRound();

    const { repairs } = await world.nextRound();

    expect(repairs).toEqual([]);
  });

  test('still counts for a minute after it registered, because lists lag behind', async () => {
    await world.queue();
    const restore = aroundCalls(world.ci, 'findRunners', async () => []);
    await world.reconcile();
    world.nowEpochMs += minuteMs;
    await world.connectAll();
    world.nowEpochMs += minuteMs - 1;

    const early = await world.reconcile();
    restore();
    const later = await world.nextRound();

    expect([early.seen[0]?.idle, later.seen[0]?.idle]).toEqual([1, 1]);
    expect([...early.repairs, ...later.repairs]).toEqual([]);
  });

  test('counts for a minute after it began to register anew, and then no longer', async () => {
    await launchSpent();
    world.nowEpochMs += 10 * minuteMs;
    const [agent] = await world.launches();
    if (agent?.plan === undefined) throw new Error('there is an agent');
    await world.deps.registrations.begin(
      { launchId: agent.launchId, agentName: agent.plan.agentName },
      'anew',
      world.nowEpochMs,
    );
    world.nowEpochMs += minuteMs - 1;

    const registering = await world.reconcile();
    world.nowEpochMs += 1;
    const gone = await world.reconcile();

    expect([registering.seen[0]?.idle, gone.seen[0]?.idle]).toEqual([1, 0]);
  });
});
