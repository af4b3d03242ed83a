import { type Bench, contenders, type Measure, untilGone } from '../bench.ts';
import { atLeast, type Contender, type Figure, median } from '../figure.ts';
import { type Launching, launchings } from '../launchings.ts';
import { summarise } from '../statistics.ts';
import { takeTurns } from '../take-turns.ts';

const concurrency = 16;

/** The result of one round of launches. */
interface Round {
  perSecond: number;
  /** Processor time per launch, including its removal. */
  ownMs: number;
  kubernetesMs: number;
}

interface Taken {
  launching: Launching;
  rounds: Round[];
}

/** The rate of launches, and the processor time of each. */
export const sustained: Measure = {
  take: async (bench) => {
    const taken = launchings.map((launching): Taken => ({ launching, rounds: [] }));
    for (const { launching } of taken) {
      await launchOn(bench, launching, bench.size.warmUp);
      bench.say(`sustained: ${launching.name} is warm`);
    }
    const turns = taken.map(({ launching, rounds }) => async () => {
      rounds.push(await launchOn(bench, launching, bench.size.sustained));
      bench.say(`sustained: ${launching.name}`);
    });
    await takeTurns(bench.size.rounds, turns, (round) => bench.say(`sustained: round ${round} done`));
    const of = (read: (round: Round) => number, suffix = ''): Contender[] =>
      taken.map(({ launching, rounds }) => median(`${launching.name}${suffix}`, summarise(rounds.map(read))));
    const speeds = of(({ perSecond }) => perSecond);
    const [bare = Number.NaN, own = Number.NaN, davit = Number.NaN] = speeds.map(({ value }) => value);
    return [
      {
        name: `launches a second, ${concurrency} at a time on kwok nodes, each ended as soon as it is placed`,
        unit: '/s',
        contenders: speeds,
        goal: atLeast(davit / bare, 0.8, 'measurement', ' ×'),
        note: `${contenders.own}: ${(own / bare).toFixed(2)} ×; ${bench.size.sustained} launches a round, n rounds, after ${bench.size.warmUp} launches of each`,
      },
      {
        name: 'processor time of a launch, its removal included',
        unit: 'ms',
        contenders: [...of(({ kubernetesMs }) => kubernetesMs, ': Kubernetes'), ...of(({ ownMs }) => ownMs)],
        note: 'Kubernetes: etcd, kube-apiserver, controllers, scheduler, kubelet, kube-proxy, kwok',
      },
    ] satisfies Figure[];
  },
};

async function launchOn(bench: Bench, launching: Launching, count: number): Promise<Round> {
  const { cluster, api } = bench;
  const kubernetesBeforeMs = await cluster.processorMs();
  const ownBeforeMs = await launching.processorMs(bench);
  const startMs = performance.now();
  const agentNames: string[] = [];
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const { agentName, remove } = await launching.launch(bench);
      agentNames.push(agentName);
      await remove();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const tookMs = performance.now() - startMs;
  const ownMs = (await launching.processorMs(bench)) - ownBeforeMs;
  for (const agentName of agentNames) await untilGone(api, agentName);
  const kubernetesMs = (await cluster.processorMs()) - kubernetesBeforeMs;
  return {
    perSecond: (count / tookMs) * 1000,
    ownMs: ownMs / count,
    kubernetesMs: kubernetesMs / count,
  };
}
