import { TransientError } from '../../../../core/errors/errors.ts';
import { CiWorld } from '../../../support/ci-world.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const app = { owner: 'acme', name: 'app' };
const unavailable = new TransientError('StoreUnavailable', 'DynamoDB: slow down');
let world: CiWorld;

beforeEach(async () => {
  world = await makeWorld();
});

async function makeWorld(maxAgents?: number): Promise<CiWorld> {
  const profile = makeProfile({
    runner: 'gitea',
    labels: ['linux'],
    ...(maxAgents === undefined ? {} : { maxAgents }),
  });
  const made = new CiWorld([profile]);
  await made.deps.jobs.noteRepository('gitea', { repository: app, organization: 'acme' }, made.nowEpochMs);
  return made;
}

/** Queues jobs, a second after each other, whose webhooks are refused. @returns the launches that they need, in order */
function queue(count: number, labels = ['linux']): string[] {
  return Array.from({ length: count }, () => {
    world.nowEpochMs += 1000;
    const { id } = world.ci.queue({ labels, queuedAtEpochMs: world.nowEpochMs });
    return `gitea-7-${id}-1`;
  });
}

/** Counts the calls of a method, and has those fail that `isRefused` names, by their number from 1. */
function watch<Name extends string>(
  port: Record<Name, (...given: never[]) => Promise<unknown>>,
  name: Name,
  isRefused: (call: number) => boolean = () => false,
): { calls: number } {
  const counted = { calls: 0 };
  const method: (...given: never[]) => Promise<unknown> = port[name].bind(port);
  Object.assign(port, {
    [name]: async (...given: never[]) => {
      counted.calls += 1;
      if (isRefused(counted.calls)) throw unavailable;
      return method(...given);
    },
  });
  return counted;
}

describe('many refused jobs', () => {
  test('are launched oldest first, ten at a time', async () => {
    const launchIds = queue(25);
    const { launches, jobs } = world.reconcileDeps;
    const claimed: string[] = [];
    const claim = jobs.claimLaunch.bind(jobs);
    jobs.claimLaunch = async (...given) => {
      claimed.push(given[2]);
      return claim(...given);
    };
    let underWay = 0;
    let most = 0;
    const request = launches.request.bind(launches);
    launches.request = async (record) => {
      underWay += 1;
      most = Math.max(most, underWay);
      const answer = await request(record);
      underWay -= 1;
      return answer;
    };
    await world.nextRound();

    await world.nextRound();

    expect(claimed).toEqual(launchIds);
    expect(most).toBe(10);
    expect(world.requested).toHaveLength(25);
  });

  test('of which a round has no time for all are launched by the next ones, and none twice', async () => {
    const launchIds = queue(25);
    await world.nextRound();
    const { launches } = world.reconcileDeps;
    const request = launches.request.bind(launches);
    launches.request = async (record) => {
      world.nowEpochMs += 3000;
      return request(record);
    };

    const { complete } = await world.nextRound();
    const cut = world.requested.length;
    const repairs = [...(await world.nextRound()).repairs, ...(await world.nextRound()).repairs];

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
    const looks = watch(world.reconcileDeps.clusterStates, 'get', (call) => call === 1);

    const { errors } = await world.nextRound();

    expect(looks.calls).toBe(2);
    expect(errors.every(({ message }) => message === unavailable.message)).toBe(true);
    expect(world.requested).toEqual(launchIds.slice(-world.requested.length));
    expect(world.requested.length + errors.length).toBe(25);
  });
});

describe('a round loses no more than what it could not read or write', () => {
  test('without the records of jobs it notes each of them', async () => {
    const launchIds = queue(3);
    await world.nextRound();
    watch(world.reconcileDeps.jobs, 'getMany', () => true);

    const { complete, repairs } = await world.nextRound();

    expect(complete).toBe(false);
    expect(repairs.map(({ subject }) => subject)).toEqual(launchIds);
  });

  test('a reason that it cannot write keeps no other job from its launch', async () => {
    queue(1, ['windows']);
    const [launchId] = queue(1);
    watch(world.reconcileDeps.jobs, 'noteNotLaunched', () => true);
    await world.nextRound();

    const { repairs } = await world.nextRound();

    expect(repairs.map(({ subject }) => subject)).toEqual([launchId]);
  });

  test('a launch that the table does not count is no launch of another caller', async () => {
    const [launchId] = queue(1);
    await world.nextRound();
    const { jobs } = world.reconcileDeps;
    const claimLaunch = jobs.claimLaunch.bind(jobs);
    jobs.claimLaunch = async () => false;
    const refused = await world.nextRound();
    jobs.claimLaunch = claimLaunch;

    const { repairs } = await world.nextRound();

    expect(refused.repairs).toEqual([]);
    expect(repairs.map(({ subject }) => subject)).toEqual([launchId]);
  });

  test('a round that cannot launch still counts as a look', async () => {
    const [failed, waiting] = queue(2);
    const [job] = world.ci.jobs;
    if (job === undefined) throw new Error('two were queued');
    await world.deliver('queued', job);
    await world.deps.launches.end(failed ?? '', {
      outcome: 'failed',
      code: 'ImagePullFailed',
      message: 'no image',
      by: 'the state machine',
      atEpochMs: world.nowEpochMs,
    });
    await world.nextRound();
    const { launches } = world.reconcileDeps;
    const getMany = launches.getMany.bind(launches);
    launches.getMany = async (ids) => (ids.includes(failed ?? '') ? Promise.reject(unavailable) : getMany(ids));
    for (let minute = 0; minute < 3; minute += 1) await world.nextRound();
    launches.getMany = getMany;

    await world.nextRound();

    expect(world.requested).toContain(waiting);
  });
});

describe('jobs that wait for slots', () => {
  beforeEach(async () => {
    world = await makeWorld(1);
    queue(3);
  });

  test('are listed once a round', async () => {
    await world.nextRound();
    await world.nextRound();
    const lists = watch(world.reconcileDeps.jobs, 'listLimited');

    await world.nextRound();

    expect(lists.calls).toBe(1);
  });

  test('are listed again after a slot was freed: one may have begun to wait in between', async () => {
    await world.nextRound();
    await world.nextRound();
    const [first] = world.requested;
    await world.deps.launches.end(first ?? '', {
      outcome: 'terminated',
      code: 'Terminated',
      message: 'by hand',
      by: 'a person',
      atEpochMs: world.nowEpochMs,
    });
    await world.sweep();
    const lists = watch(world.reconcileDeps.jobs, 'listLimited');

    await world.nextRound();

    expect(lists.calls).toBe(2);
    expect(world.requested).toHaveLength(2);
  });
});
