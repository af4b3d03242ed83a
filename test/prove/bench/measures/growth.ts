import { profileNames } from '../../on-cluster/config.ts';
import type { ApiCall } from '../audit-log.ts';
import { type Bench, contenders, type Measure } from '../bench.ts';
import { atMost, type Contender, type Figure, median } from '../figure.ts';
import { forget, observeAlone, timeAlone } from '../launchings.ts';
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

async function costAfter(bench: Bench, after: number): Promise<Cost> {
  const [davitMs, bareMs, apiCalls]: [number[], number[], number[]] = [[], [], []];
  for (let number = 0; number < bench.size.growthSamples; number += 1) {
    const { timeline, publishedEpochMs, tookMs, calls } = await observeAlone(bench);
    const isOfLaunch = (call: ApiCall) => call.name === timeline.agentName && call.startEpochMs < publishedEpochMs;
    davitMs.push(tookMs);
    apiCalls.push(calls.filter(isOfLaunch).length);
    bareMs.push(await timeAlone(bench, bench.bare));
  }
  const { heapBytes, residentBytes } = await bench.davit.observe();
  return {
    after,
    davitMs: summarise(davitMs),
    bareMs: summarise(bareMs),
    apiCalls: summarise(apiCalls),
    heapMiB: heapBytes / 2 ** 20,
    residentMiB: residentBytes / 2 ** 20,
  };
}
