import { setTimeout as sleep } from 'node:timers/promises';
import { isOver } from '../../../../core/launch/launch-record.ts';
import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import type { RequestFailure } from '../../cluster/breakable-line.ts';
import { profileNames } from '../../on-cluster/config.ts';
import { contenders, type LocalMeasure } from '../bench.ts';
import { type ClusterWorld, launchThatWaits, startClusterWorld } from '../clusters/world.ts';
import { atMost } from '../figure.ts';
import type { Timeline } from '../timelines.ts';

const failingShare = 0.05;
const seed = 1;
/** How often a launch that its deadline has ended is replaced. */
const tickMs = 10_000;
const sayEveryTicks = 30;

/** How often a cluster's state turns while a few calls to it fail. */
export const flaps: LocalMeasure = {
  takeLocally: async ({ size: { failingSeconds }, say, resources }) => {
    await using world = resources.use(await startClusterWorld());
    let launch = await launchThatWaits(world);
    const sinceEpochMs = Date.now();
    const flapsUntilNow = async () => {
      const { history } = await world.show();
      return history.filter(({ at }) => Date.parse(at) >= sinceEpochMs).length;
    };
    const calls = failSome(world);
    for (let tick = 1; Date.now() < sinceEpochMs + failingSeconds * 1000; tick += 1) {
      await sleep(Math.min(tickMs, sinceEpochMs + failingSeconds * 1000 - Date.now()));
      launch = await keepUnderWay(world, launch);
      if (tick % sayEveryTicks === 0)
        say(`${calls.failed()} of ${calls.all} calls failed, ${await flapsUntilNow()} flaps`);
    }
    world.line.failRequestsIf(() => undefined);
    const turns = await flapsUntilNow();
    const { closed, lost, all } = calls;
    return [
      {
        name: `changes of connected in ${failingSeconds} s, while 5 % of the calls fail`,
        unit: '',
        contenders: [{ name: contenders.davit, value: turns }],
        goal: atMost(turns, 0, 'count'),
        note: `of ${all} calls, ${closed} lost their connection and ${lost} got no answer; a launch was under way`,
      },
    ];
  },
};

interface Calls {
  all: number;
  closed: number;
  lost: number;
  failed: () => number;
}

/** Has a share of the calls fail from now on, half of them in each way. */
function failSome({ line }: ClusterWorld): Calls {
  const random = seededRandom(seed);
  const calls: Calls = { all: 0, closed: 0, lost: 0, failed: () => calls.closed + calls.lost };
  line.failRequestsIf(() => {
    calls.all += 1;
    if (random() >= failingShare) return undefined;
    const failure: RequestFailure = random() < 0.5 ? 'closed' : 'lost';
    calls[failure] += 1;
    return failure;
  });
  return calls;
}

/** @returns the launch, or one in its place if it is over */
async function keepUnderWay({ davit, launcher }: ClusterWorld, launch: Timeline): Promise<Timeline> {
  const { status } = await davit.launches.show(launch.launchId);
  return status === 'cleaning' || isOver({ status }) ? launcher.request(profileNames.nobody) : launch;
}
