import { profileNames } from '../../on-cluster/config.ts';
import { davitUser } from '../../on-cluster/davit-identity.ts';
import { type Bench, contenders, type Measure, newLaunchId, profileOf, untilGone } from '../bench.ts';
import { atMost, type Contender, type Figure, median } from '../figure.ts';
import { turnsOf } from '../size.ts';
import { type Summary, summarise } from '../statistics.ts';

/** The cost of a launch at one moment. */
interface Cost {
  /** The number of launches before it. */
  after: number;
  davitMs: Summary;
  bareMs: Summary;
  apiCalls: Summary;
  heapMiB: number;
  residentMiB: number;
}

const first = 10;
const concurrency = 8;
const mostGrowth = 1.1;

/** Whether a launch after many others costs more than the tenth one. */
export const growth: Measure = {
  take: async (bench) => {
    let made = 0;
    const grow = async (samples: number, forSeconds: number) => {
      // All contenders share one counter.
      const turns = turnsOf({ samples, forSeconds });
      const work = async () => {
        while (turns.next().done !== true) {
          made += 1;
          if (made % 100 === 0) bench.say(`growth: ${made} launches`);
          if (made % 500 === 0) await forget(bench);
          await launchOne(bench);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
    };
    const cost = async () => {
      const taken = await costAfter(bench, made);
      made += bench.size.growthSamples;
      return taken;
    };
    await grow(first - 1, Number.POSITIVE_INFINITY);
    const early = await cost();
    const { samples, forSeconds } = bench.size.growTo;
    await grow(samples - made - 1, forSeconds);
    return figuresOf(early, await cost());
  },
};

function figuresOf(early: Cost, late: Cost): Figure[] {
  const [tenth, last] = [`launch ${early.after + 1}`, `launch ${late.after + 1}`];
  const time = late.davitMs.p50 / late.bareMs.p50 / (early.davitMs.p50 / early.bareMs.p50);
  const compare = (what: string, unit: string, pair: Contender[], ratio: number): Figure => {
    const name = `${what}, ${last} over ${tenth}`;
    return { name, unit, contenders: pair, goal: atMost(ratio, mostGrowth, 'measurement', ' ×') };
  };
  const memory = (what: string, read: (cost: Cost) => number): Figure => {
    const pair = [early, late].map((cost) => ({ name: `after ${cost.after} launches`, value: read(cost) }));
    return compare(what, 'MiB', pair, read(late) / read(early));
  };
  return [
    compare(
      "time, each over the bare calls' then",
      'ms',
      [
        median(tenth, early.davitMs),
        median(`${tenth}: ${contenders.bare}`, early.bareMs),
        median(last, late.davitMs),
        median(`${last}: ${contenders.bare}`, late.bareMs),
      ],
      time,
    ),
    compare(
      'Kubernetes API calls up to the published token',
      'calls',
      [median(tenth, early.apiCalls), median(last, late.apiCalls)],
      late.apiCalls.p50 / early.apiCalls.p50,
    ),
    memory("the runtime's resident memory", ({ residentMiB }) => residentMiB),
    memory('of it, the heap that engine and tables share', ({ heapMiB }) => heapMiB),
  ];
}

async function launchOne({ launcher }: Bench): Promise<void> {
  const timeline = await launcher.request(profileNames.kwok);
  await launcher.entered(timeline, 'PublishToken');
  await launcher.end(timeline);
}

/** The observations of earlier launches are not needed. */
async function forget({ davit, audit }: Bench): Promise<void> {
  await Promise.all([davit.observe(), audit.read(davitUser)]);
}

async function costAfter(bench: Bench, after: number): Promise<Cost> {
  const [davitMs, bareMs, apiCalls]: [number[], number[], number[]] = [[], [], []];
  for (let number = 0; number < bench.size.growthSamples; number += 1) {
    const whole = await launchAlone(bench);
    davitMs.push(whole.tookMs);
    apiCalls.push(whole.apiCalls);
    bareMs.push(await launchBare(bench));
  }
  const { heapBytes, residentBytes } = await bench.davit.observe();
  const [heapMiB, residentMiB] = [heapBytes / 2 ** 20, residentBytes / 2 ** 20];
  return {
    after,
    davitMs: summarise(davitMs),
    bareMs: summarise(bareMs),
    apiCalls: summarise(apiCalls),
    heapMiB,
    residentMiB,
  };
}

async function launchAlone(bench: Bench): Promise<{ tookMs: number; apiCalls: number }> {
  const { launcher, audit, api } = bench;
  await forget(bench);
  const timeline = await launcher.request(profileNames.kwok);
  const { atEpochMs } = await launcher.published(timeline);
  await launcher.end(timeline);
  await untilGone(api, timeline.agentName);
  const calls = await audit.read(davitUser);
  const ofTheLaunch = calls.filter((call) => call.name === timeline.agentName && call.startEpochMs < atEpochMs);
  return { tookMs: atEpochMs - timeline.acceptedEpochMs, apiCalls: ofTheLaunch.length };
}

async function launchBare(bench: Bench): Promise<number> {
  const launchId = newLaunchId();
  const startMs = performance.now();
  await bench.bare.launch(profileOf(bench, profileNames.kwok), launchId);
  const tookMs = performance.now() - startMs;
  await bench.bare.remove(launchId);
  await untilGone(bench.api, `davit-${launchId}`);
  return tookMs;
}
