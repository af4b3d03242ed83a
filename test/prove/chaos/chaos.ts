import type { SweepReport } from '../../../functions/sweep/sweep-report.ts';
import { seededRandom } from '../../../sandbox/seeded-random.ts';
import type { Violation } from '../../support/unsettled.ts';
import { say } from '../cluster/say.ts';
import { type Agents, startAgents } from './agents.ts';
import type { ChaosArguments } from './arguments.ts';
import { ExecutionHistories } from './history.ts';
import { type Evidence, judge } from './judge.ts';
import { type KillKind, startKiller } from './killer.ts';
import { hitAtLast } from './last-faults.ts';
import { type JobRun, runLaunch } from './run-launch.ts';
import { type Settled, settle } from './settle.ts';
import { startWorld, type World } from './world.ts';

/** The result of a run. */
export interface ChaosRun extends Evidence {
  seed: number;
  tookSeconds: number;
  kills: Readonly<Record<KillKind, number>>;
  /** Each completed sweep; that of the first round after the last fault comes last. */
  sweeps: readonly SweepReport[];
  settled: Settled;
  violations: readonly Violation[];
}

const sayEachMs = 5000;

/**
 * Launches while the killer kills, and judges the result.
 *
 * @param interrupted aborts the run
 * @throws the signal's reason, or the error that prevented continuing; the clusters are removed in any case
 */
export async function chaos(
  { launches, concurrency, clusters, seed }: ChaosArguments & { seed: number },
  interrupted: AbortSignal,
): Promise<ChaosRun> {
  const executions = new ExecutionHistories();
  const sweeps: SweepReport[] = [];
  await using world = await startWorld(
    clusters,
    (message) => {
      if (message.type === 'event') executions.add(message.event);
      if (message.type === 'swept') sweeps.push(message.report);
    },
    interrupted,
  );
  using agents = startAgents(world);
  const startedMs = performance.now();
  const { runs, kills } = await launchAndKill(world, agents, executions, { launches, concurrency, seed });
  say('hits agents that work with the last faults');
  const lasting = await hitAtLast(world, agents);
  say('begins the rounds after the last fault');
  const settled = await settle(world, runs, lasting, () => sweeps.length);
  sweeps.push(settled.sweep);
  const evidence: Evidence = { runs, agents: agents.histories(), executions, lasting, settled };
  const tookSeconds = (performance.now() - startedMs) / 1000;
  return { ...evidence, seed, tookSeconds, kills, sweeps, settled, violations: judge(evidence) };
}

/** Resolves when all jobs are over, and every killed process runs again. */
async function launchAndKill(
  world: World,
  agents: Agents,
  executions: ExecutionHistories,
  { launches, concurrency, seed }: Pick<ChaosRun, 'seed'> & Pick<ChaosArguments, 'launches' | 'concurrency'>,
): Promise<Pick<ChaosRun, 'runs' | 'kills'>> {
  const runs: JobRun[] = [];
  await using killer = startKiller(world, executions, seededRandom(seed));
  const { kills } = killer;
  using stopping = new DisposableStack();
  const saying = setInterval(
    () => say(`${runs.length} of ${launches} jobs are over; killed ${killsText(kills)}`),
    sayEachMs,
  );
  stopping.defer(() => clearInterval(saying));
  const numbers = Array.from({ length: launches }, (_, index) => index + 1).values();
  const work = async () => {
    // The workers share one iterator. Each launch has its own random numbers, because the order varies.
    for (const number of numbers) runs.push(await runLaunch(world, agents, seededRandom(seed + number)));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { runs, kills };
}

function killsText(kills: ChaosRun['kills']): string {
  return Object.entries(kills)
    .map(([kind, times]) => `${kind} ${times}×`)
    .join(', ');
}
