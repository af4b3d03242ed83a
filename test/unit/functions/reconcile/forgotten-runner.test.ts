import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { CiWorld } from '../../../support/ci-world.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const minuteMs = 60_000;
let world: CiWorld;

beforeEach(async () => {
  world = new CiWorld([makeProfile({ runner: 'gitea', labels: ['linux'], idleSeconds: 3600 })]);
  const repository = { owner: 'acme', name: 'app' };
  await world.deps.jobs.noteRepository('gitea', { repository, organization: 'acme' }, world.nowEpochMs);
});

function queue() {
  return world.ci.queue({ labels: ['linux'], queuedAtEpochMs: world.nowEpochMs });
}

/** Connects the only agent. */
async function connectOnly(): Promise<LaunchRecord> {
  await world.connect(await world.onlyLaunch());
  return world.onlyLaunch();
}

describe('an agent whose runner the CI system has forgotten', () => {
  /** Launches an agent for a job. It runs an older job to its end, and no event of that job arrives. */
  async function launchSpent() {
    const older = queue();
    const job = queue();
    await world.deliver('queued', job);
    const { launchId, runner } = await connectOnly();
    expect(world.ci.assign(runner?.id ?? 0)).toBe(older);
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
    const withdrawn = queue();
    await world.deliver('queued', withdrawn);
    withdrawn.status = 'cancelled';
    await world.nextRound();

    const { repairs } = await world.nextRound();

    expect(repairs).toEqual([]);
  });

  test('still counts for a minute after it registered, because lists lag behind', async () => {
    const job = queue();
    await world.deliver('queued', job);
    const findRunners = world.ci.findRunners.bind(world.ci);
    world.ci.findRunners = async () => [];
    await world.reconcile();
    world.nowEpochMs += minuteMs;
    await connectOnly();
    world.nowEpochMs += minuteMs - 1;

    const early = await world.reconcile();
    world.ci.findRunners = findRunners;
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
