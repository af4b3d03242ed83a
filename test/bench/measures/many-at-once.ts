import { profileNames } from '../../on-cluster/config.ts';
import { type Bench, contenders, type Measure, newLaunchId, profileOf, untilGone } from '../bench.ts';
import { atLeast, atMost, type Figure, median } from '../figure.ts';
import { type Summary, summarise } from '../statistics.ts';
import { takeTurns } from '../take-turns.ts';

/** Launches of one kind: from the request to the published token, and away again. */
interface Launching {
  name: string;
  /** @returns how long it took, in milliseconds, and how to take the launch away */
  launch: (bench: Bench) => Promise<{ tookMs: number; agentName: string; remove: () => Promise<void> }>;
}

const launchings: readonly Launching[] = [
  { name: contenders.bare, launch: (bench) => launchDirectly(bench, bench.bare) },
  { name: contenders.own, launch: (bench) => launchDirectly(bench, bench.own) },
  { name: contenders.davit, launch: launchWhole },
];

/** How long launches take that are asked for all at once. */
export const atOnce: Measure = {
  name: 'at-once',
  about: 'webhook accepted → token published, many launches at once, p99',
  take: async (bench) => {
    const { atOnce: count } = bench.size;
    const summaries = await inTurns(bench, 'at once', async (launching) => {
      const launches = await Promise.all(Array.from({ length: count }, () => launching.launch(bench)));
      await removeAll(bench, launches);
      return launches.map(({ tookMs }) => tookMs);
    });
    const [bare, own, davit] = summaries;
    return [
      {
        name: `webhook accepted → token published, ${count} at once on kwok nodes, p99`,
        unit: 'ms',
        contenders: summaries.map(({ p99 }, index) => ({ name: launchings[index]?.name ?? '', value: p99 })),
        goal: atMost(davit.p99 / bare.p99, 2, 'measurement', ' ×'),
        note: `davit’s own steps: ${(own.p99 / bare.p99).toFixed(2)} ×; of ${bare.samples} launches each`,
      },
      {
        name: `the same, p50`,
        unit: 'ms',
        contenders: summaries.map((summary, index) => median(launchings[index]?.name ?? '', summary)),
      },
    ];
  },
};

const concurrency = 16;

/** How many launches are made in a second. */
export const sustained: Measure = {
  name: 'sustained',
  about: `launches a second, ${concurrency} at a time, each taken away again`,
  take: async (bench) => {
    const { sustained: count } = bench.size;
    const summaries = await inTurns(bench, 'sustained', async (launching) => {
      const startMs = performance.now();
      let left = count;
      const made: Awaited<ReturnType<Launching['launch']>>[] = [];
      const work = async () => {
        while (left > 0) {
          left -= 1;
          const launch = await launching.launch(bench);
          made.push(launch);
          await launch.remove();
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      const perSecond = (count / (performance.now() - startMs)) * 1000;
      for (const { agentName } of made) await untilGone(bench.api, agentName);
      return [perSecond];
    });
    const [bare, own, davit] = summaries;
    return [
      {
        name: `launches a second, ${concurrency} at a time on kwok nodes, each ended as soon as it is placed`,
        unit: '/s',
        contenders: summaries.map((summary, index) => median(launchings[index]?.name ?? '', summary)),
        goal: atLeast(davit.p50 / bare.p50, 0.5, 'measurement', ' ×'),
        note: `davit’s own steps: ${(own.p50 / bare.p50).toFixed(2)} ×; ${count} launches a round`,
      },
    ] satisfies Figure[];
  },
};

/** Has each contender take its turn in each round. */
async function inTurns(
  bench: Bench,
  what: string,
  take: (launching: Launching) => Promise<number[]>,
): Promise<[Summary, Summary, Summary]> {
  const samples = launchings.map((): number[] => []);
  const turns = launchings.map((launching, index) => async () => {
    samples[index]?.push(...(await take(launching)));
    bench.say(`${what}: ${launching.name}`);
  });
  await takeTurns(bench.size.rounds, turns, (round) => bench.say(`${what}: round ${round} done`));
  const [bare = [], own = [], davit = []] = samples;
  return [summarise(bare), summarise(own), summarise(davit)];
}

async function removeAll(bench: Bench, launches: readonly Awaited<ReturnType<Launching['launch']>>[]): Promise<void> {
  await Promise.all(launches.map(({ remove }) => remove()));
  for (const { agentName } of launches) await untilGone(bench.api, agentName);
}

async function launchDirectly(bench: Bench, launches: Bench['own']) {
  const launchId = newLaunchId();
  const startMs = performance.now();
  await launches.launch(profileOf(bench, profileNames.kwok), launchId);
  const tookMs = performance.now() - startMs;
  return { tookMs, agentName: `davit-${launchId}`, remove: () => launches.remove(launchId) };
}

async function launchWhole({ launcher }: Bench) {
  const timeline = await launcher.request(profileNames.kwok);
  const { atEpochMs } = await launcher.left(timeline, 'PublishToken');
  const tookMs = atEpochMs - timeline.acceptedEpochMs;
  return { tookMs, agentName: timeline.agentName, remove: () => launcher.end(timeline) };
}
