import { TransientError } from '../../../../core/errors/errors.ts';
import { aroundCalls, beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
import { byPerson, LinuxWorld } from './linux-world.ts';

const unavailable = new TransientError('StoreUnavailable', 'DynamoDB: slow down');
let world: LinuxWorld;

beforeEach(async () => {
  world = await LinuxWorld.open();
});

/** Queues jobs, a second after each other, whose webhooks are refused. @returns the launches that they need, in order */
function queue(count: number, labels = ['linux']): string[] {
  return Array.from({ length: count }, () => {
    world.nowEpochMs += 1000;
    return `gitea-7-${world.queueUnseen({ labels }).id}-1`;
  });
}

function watch<Port extends object>(port: Port, name: keyof Port): { calls: number } {
  const counted = { calls: 0 };
  beforeCalls(port, name, () => (counted.calls += 1));
  return counted;
}

describe('many refused jobs', () => {
  test('are launched oldest first, ten at a time', async () => {
    const launchIds = queue(25);
    const { launches, jobs } = world.reconcileDeps;
    const claimed: string[] = [];
    beforeCalls(jobs, 'claimLaunch', (...given) => claimed.push(given[2]));
    let underWay = 0;
    let most = 0;
    aroundCalls(launches, 'request', async (request) => {
      underWay += 1;
      most = Math.max(most, underWay);
      const answer = await request();
      underWay -= 1;
      return answer;
    });
    await world.nextRound();

    await world.nextRound();

    expect(claimed).toEqual(launchIds);
    expect(most).toBe(10);
    expect(world.requested).toHaveLength(25);
  });

  test('of which a round has no time for all are launched by the next ones, and none twice', async () => {
    const launchIds = queue(25);
    await world.nextRound();
    beforeCalls(world.reconcileDeps.launches, 'request', () => (world.nowEpochMs += 3000));

    const { complete } = await world.nextRound();
    const cut = world.requested.length;
    const repairs = await world.repairsIn(2);

    expect(complete).toBe(false);
    expect(cut).toBeLessThan(25);
    expect(repairs).toHaveLength(25 - cut);
    expect(world.requested.toSorted()).toEqual(launchIds.toSorted());
  });

  test('are written when there is news of them, and no more', async () => {
    queue(25);
    const notes = watch(world.reconcileDeps.jobs, 'note');
    await world.nextRound();
    await world.nextRound();
    Object.assign(world.ci.jobs[0] ?? {}, { url: 'https://gitea.example/acme/app/7' });

    await world.nextRound();

    expect(notes.calls).toBe(26);
  });

  test('need one look at the state of their cluster, and another one after a failed one', async () => {
    const launchIds = queue(25);
    await world.nextRound();
    let looks = 0;
    beforeCalls(world.reconcileDeps.clusterStates, 'get', () => {
      looks += 1;
      if (looks === 1) throw unavailable;
    });

    const { errors } = await world.nextRound();

    expect(looks).toBe(2);
    expect(errors.every(({ message }) => message === unavailable.message)).toBe(true);
    expect(world.requested).toEqual(launchIds.slice(-world.requested.length));
    expect(world.requested.length + errors.length).toBe(25);
  });
});

describe('a round loses no more than what it could not read or write', () => {
  test('without the records of jobs it notes each of them', async () => {
    const launchIds = queue(3);
    await world.nextRound();
    refuseCalls(world.reconcileDeps.jobs, 'getMany', unavailable);

    const { complete, repairs } = await world.nextRound();

    expect(complete).toBe(false);
    expect(repairs.map(({ subject }) => subject)).toEqual(launchIds);
  });

  test('a reason that it cannot write keeps no other job from its launch', async () => {
    queue(1, ['windows']);
    const [launchId] = queue(1);
    refuseCalls(world.reconcileDeps.jobs, 'noteNotLaunched', unavailable);
    await world.nextRound();

    const { repairs } = await world.nextRound();

    expect(repairs.map(({ subject }) => subject)).toEqual([launchId]);
  });

  test('a launch that the table does not count is no launch of another caller', async () => {
    const [launchId] = queue(1);
    await world.nextRound();
    const restore = aroundCalls(world.reconcileDeps.jobs, 'claimLaunch', async () => false);
    const refused = await world.nextRound();
    restore();

    const { repairs } = await world.nextRound();

    expect(refused.repairs).toEqual([]);
    expect(repairs.map(({ subject }) => subject)).toEqual([launchId]);
  });

  test('a round that cannot launch still counts as a look', async () => {
    const [failed, waiting] = queue(2);
    const [job] = world.ci.jobs;
    if (job === undefined) throw new Error('two were queued');
    await world.deliver('queued', job);
    await world.end(failed);
    await world.nextRound();
    const restore = beforeCalls(world.reconcileDeps.launches, 'getMany', (ids) => {
      if (ids.includes(failed ?? '')) throw unavailable;
    });
    await world.repairsIn(3);
    restore();

    await world.nextRound();

    expect(world.requested).toContain(waiting);
  });
});

describe('jobs that wait for slots', () => {
  beforeEach(async () => {
    world = await LinuxWorld.open({ maxAgents: 1 });
    queue(3);
    await world.repairsIn(2);
  });

  test('are listed once a round', async () => {
    const lists = watch(world.reconcileDeps.jobs, 'listLimited');

    await world.nextRound();

    expect(lists.calls).toBe(1);
  });

  test('are listed again after a slot was freed: one may have begun to wait in between', async () => {
    await world.end(world.requested[0], byPerson);
    await world.sweep();
    const lists = watch(world.reconcileDeps.jobs, 'listLimited');

    await world.nextRound();

    expect(lists.calls).toBe(2);
    expect(world.requested).toHaveLength(2);
  });
});
