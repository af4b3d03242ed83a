import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import { profileNames } from '../../on-cluster/config.ts';
import type { LocalMeasure } from '../bench.ts';
import { type Loss, lose, outages } from '../clusters/losses.ts';
import { type ClusterWorld, launchThatWaits, startClusterWorld } from '../clusters/world.ts';
import { atMost, type Figure, median } from '../figure.ts';
import { type Size, turnsOf } from '../size.ts';
import { summarise } from '../statistics.ts';
import type { Timeline } from '../timelines.ts';

/** The time-outs of Kueue's end-to-end test of an unreliable worker cluster, in seconds. */
const kueue = {
  name: "Kueue's end-to-end test gives up after",
  falseAfterSeconds: 45,
  trueAfterSeconds: 90,
};
const goals = { busySeconds: 10, idleSeconds: 60, backSeconds: 10 };
const seed = 1;
/** The probe checks an idle cluster twice, 8 s apart, and then pauses for the rest of the minute. */
const looksMs = 10_000;
/** The moments of the losses are spread between two checks. */
const betweenLooksMs = 2000;

/** The losses in one situation, by the way to lose the cluster. */
type Losses = Map<string, Loss[]>;

/** How soon davit notices that a cluster is lost, and that it is back. */
export const clusters: LocalMeasure = {
  takeLocally: async ({ size, say, resources }) => {
    await using world = resources.use(await startClusterWorld());
    // The launch under way keeps the cluster's first probe running.
    const launch = await launchThatWaits(world);
    const busy = await busyLosses(world, size, say);
    await end(world, launch);
    const fresh = await lossesOf(world, size.lostIdle, say, untilNobodyLooks, beginLaunch);
    const idle = await lossesOf(world, size.lostIdle, say, untilNobodyLooks);
    const lost = (when: string, losses: Losses, mostSeconds: number) =>
      figureOf(`a cluster is ${when} → connected: false`, losses, 'falseAfterSeconds', mostSeconds);
    return [
      ...lost('lost, with a launch under way', busy, goals.busySeconds),
      ...lost(
        'lost as the first launch begins, just after the last look at the idle cluster',
        fresh,
        goals.busySeconds,
      ),
      ...lost('lost just after the last look, and idle', idle, goals.idleSeconds),
      ...figureOf(
        'a cluster is back → connected: true',
        merged([busy, fresh, idle]),
        'trueAfterSeconds',
        goals.backSeconds,
        '; an API server that was killed is back when it says that it is ready',
      ),
    ];
  },
};

async function busyLosses(world: ClusterWorld, size: Size, say: (text: string) => void): Promise<Losses> {
  const losses: Losses = new Map();
  const random = seededRandom(seed);
  for (const turn of turnsOf(size.lost)) {
    for (const outage of outages) {
      say(`loss ${turn}: ${outage.name}`);
      await sleep(random() * betweenLooksMs);
      keep(losses, outage.name, await lose(world, outage), say);
    }
  }
  return losses;
}

/** Loses the cluster at awaited moments, each just as something begins. */
async function lossesOf(
  world: ClusterWorld,
  times: number,
  say: (text: string) => void,
  moment: (world: ClusterWorld) => Promise<void>,
  begins?: (world: ClusterWorld) => Promise<Timeline>,
): Promise<Losses> {
  const losses: Losses = new Map();
  const [frozen] = outages;
  for (let turn = 0; turn < times; turn += 1) {
    await moment(world);
    const launch = await begins?.(world);
    keep(losses, frozen.name, await lose(world, frozen), say);
    if (launch !== undefined) await end(world, launch);
  }
  return losses;
}

async function beginLaunch({ launcher }: ClusterWorld): Promise<Timeline> {
  const launch = await launcher.request(profileNames.nobody);
  await launcher.entered(launch, 'CreateService');
  return launch;
}

/** Waits until the probe has finished its last check of the minute. Its first check counts as a proof, which it records. */
async function untilNobodyLooks({ show, untilState }: ClusterWorld): Promise<void> {
  const { lastSuccessAt } = await show();
  await untilState('is new', (state) => state.lastSuccessAt !== lastSuccessAt);
  await sleep(looksMs);
}

async function end({ launcher, davit }: ClusterWorld, launch: Timeline): Promise<void> {
  await launcher.end(launch);
  await davit.launches.until(launch.launchId, 'terminated', 'failed');
}

function keep(losses: Losses, name: string, loss: Loss, say: (text: string) => void): void {
  say(`${name}: false after ${loss.falseAfterSeconds.toFixed(1)} s, true after ${loss.trueAfterSeconds.toFixed(1)} s`);
  losses.set(name, [...(losses.get(name) ?? []), loss]);
}

/** One of the two times of each loss, by the way to lose the cluster. */
function figureOf(name: string, losses: Losses, time: keyof Loss, goalSeconds: number, note = ''): Figure[] {
  if (losses.size === 0) return [];
  const slowest = Math.max(...[...losses.values()].flat().map((loss) => loss[time]));
  return [
    {
      name,
      unit: 's',
      contenders: [
        ...[...losses].map(([way, each]) => median(way, summarise(each.map((loss) => loss[time])))),
        { name: kueue.name, value: kueue[time] },
      ],
      goal: atMost(slowest, goalSeconds, 'measurement', ' s'),
      note: `the goal is of the slowest${note}`,
    },
  ];
}

function merged(situations: readonly Losses[]): Losses {
  const all: Losses = new Map();
  for (const [name, losses] of situations.flatMap((situation) => [...situation])) {
    all.set(name, [...(all.get(name) ?? []), ...losses]);
  }
  return all;
}
