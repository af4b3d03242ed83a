import { type ProfileName, profileNames } from '../../on-cluster/config.ts';
import { type Bench, contenders, type Measure } from '../bench.ts';
import { atMost, type Figure, median } from '../figure.ts';
import { observeAlone, timeAlone } from '../launchings.ts';
import { summarise } from '../statistics.ts';
import { takeTurns } from '../take-turns.ts';
import { splitTime, type TimeSplit } from '../time-split.ts';

/** The duration of a single launch, and its parts. */
export const oneAtATime: Measure = {
  take: async (bench) => [
    ...(await launchAlone(bench, profileNames.real, 'a real kubelet')),
    ...(await launchAlone(bench, profileNames.kwok, 'a kwok node')),
  ],
};

async function launchAlone(bench: Bench, profile: ProfileName, where: string): Promise<Figure[]> {
  const taken: Record<keyof typeof contenders, number[]> = { bare: [], own: [], davit: [] };
  const splits: TimeSplit[] = [];
  const turns = [
    async () => taken.bare.push(await timeAlone(bench, bench.bare, profile)),
    async () => taken.own.push(await timeAlone(bench, bench.own, profile)),
    async () => {
      const { timeline, publishedEpochMs, tookMs, calls } = await observeAlone(bench, profile);
      taken.davit.push(tookMs);
      splits.push(splitTime(timeline, publishedEpochMs, calls));
    },
  ];
  // The first round opens connections and compiles code.
  for (const turn of turns) await turn();
  for (const samples of [...Object.values(taken), splits]) samples.length = 0;
  await takeTurns(bench.size.oneAtATime, turns, (round) => bench.say(`one at a time on ${where}: ${round}`));
  const [bare, own, davit] = [summarise(taken.bare), summarise(taken.own), summarise(taken.davit)];
  const compared = [median(contenders.bare, bare), median(contenders.own, own), median(contenders.davit, davit)];
  return [
    {
      name: `webhook accepted → token published, p50, one at a time on ${where}`,
      unit: 'ms',
      contenders: compared,
      goal: atMost(davit.p50 / bare.p50, 1.5, 'measurement', ' ×'),
      note: `davit's own steps, without the store and the state machine: ${(own.p50 / bare.p50).toFixed(2)} ×`,
    },
    {
      name: `where the time goes, one at a time on ${where}`,
      unit: 'ms',
      contenders: partNames.map(([part, name]) => median(name, summarise(splits.map((split) => split[part])))),
    },
  ];
}

const partNames = [
  ['kubernetes', 'Kubernetes'],
  ['functions', "functions: davit's code and store"],
  ['engine', 'the state machine'],
] as const satisfies readonly (readonly [keyof TimeSplit, string])[];
