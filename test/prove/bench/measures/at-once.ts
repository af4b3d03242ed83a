import { type Bench, type Measure, untilGone } from '../bench.ts';
import { atMost, median } from '../figure.ts';
import { type Launching, launchings } from '../launchings.ts';
import { summarise } from '../statistics.ts';
import { takeTurns } from '../take-turns.ts';

interface Taken {
  launching: Launching;
  tookMs: number[];
}

/** The duration of launches that are requested at the same time. */
export const atOnce: Measure = {
  take: async (bench) => {
    const taken = launchings.map((launching): Taken => ({ launching, tookMs: [] }));
    const turns = taken.map(({ launching, tookMs }) => async () => {
      tookMs.push(...(await launchAtOnce(bench, launching)));
      bench.say(`at once: ${launching.name}`);
    });
    await takeTurns(bench.size.rounds, turns, (round) => bench.say(`at once: round ${round} done`));
    const found = taken.map(({ launching: { name }, tookMs }) => ({ name, ...summarise(tookMs) }));
    const [bareP99 = Number.NaN, ownP99 = Number.NaN, davitP99 = Number.NaN] = found.map(({ p99 }) => p99);
    return [
      {
        name: `webhook accepted → token published, ${bench.size.atOnce} at once on kwok nodes, p99`,
        unit: 'ms',
        contenders: found.map(({ name, p99, samples }) => ({ name, value: p99, samples })),
        goal: atMost(davitP99 / bareP99, 2, 'measurement', ' ×'),
        note: `davit's own steps: ${(ownP99 / bareP99).toFixed(2)} ×`,
      },
      {
        name: `webhook accepted → token published, ${bench.size.atOnce} at once on kwok nodes, p50`,
        unit: 'ms',
        contenders: found.map(({ name, ...summary }) => median(name, summary)),
      },
    ];
  },
};

async function launchAtOnce(bench: Bench, { launch }: Launching): Promise<number[]> {
  const launched = await Promise.all(Array.from({ length: bench.size.atOnce }, () => launch(bench)));
  await Promise.all(launched.map(({ remove }) => remove()));
  for (const { agentName } of launched) await untilGone(bench.api, agentName);
  return launched.map(({ tookMs }) => tookMs);
}
