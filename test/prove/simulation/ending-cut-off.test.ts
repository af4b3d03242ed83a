import { Evidence } from '../../../simulation/invariants/evidence.ts';
import { noSweepNeeded } from '../../../simulation/invariants/nothing-left.ts';
import { runSeed } from '../../../simulation/run-seed.ts';
import { ApiServer } from '../../../simulation/world/api-server.ts';
import type { SimulatedDeps } from '../../../simulation/world/davit.ts';
import type { Invocation } from '../../../simulation/world/invocation.ts';
import { portWith } from '../../support/port-with.ts';
import { onlyIn } from './mutants/doubles.ts';

type Change = (deps: SimulatedDeps, invocation: Invocation) => Partial<SimulatedDeps>;

/** The seed decides which agent gets which job. */
const seeds = [1, 2, 3, 4, 5];

const unchanged: Change = () => ({});
const forgets: Change = () => ({ invokeLater: async () => undefined });
const dies: Change = (_deps, invocation) => ({
  invokeLater: () => {
    invocation.die('Sandbox.Timedout');
    return new Promise<never>(() => undefined);
  },
});
const diesAtTheWrite: Change = ({ launches }, invocation) => ({
  launches: portWith(launches, {
    end: (...given) => {
      const ended = launches.end(...given);
      invocation.die('Sandbox.Timedout');
      return ended;
    },
  }),
});
const failsToAsk: Change = (_deps, invocation) => ({
  invokeLater: () => {
    const away = new ApiServer('lambda', 0);
    away.outageUntilEpochMs = Infinity;
    return invocation.writes(away, () => undefined);
  },
});

/**
 * Runs queues in which the webhook of one job ends the agent that another job requested. No sweep before the last
 * ones does anything.
 *
 * @param change changes the webhooks' dependencies
 * @returns what is left for the sweep, unexcused
 */
async function leftBy(change: Change): Promise<string[]> {
  const mutation = onlyIn(['webhook', 'sweep'], (deps, { core }, invocation) => {
    if (invocation.functionName === 'webhook') return change(deps, invocation);
    const isLast = core.history.events.some(({ kind }) => kind === 'sweptLast');
    return isLast ? {} : { limits: { findMs: 0, totalMs: 0, things: 0, atATime: 1 } };
  });
  const queue = { jobs: 0, queued: 4, maxAgents: 'any', warm: 0, isSized: false, ci: 'webhooks' } as const;
  const runs = await Promise.all(seeds.map((seed) => runSeed(seed, { ...queue, plan: new Map(), mutation })));
  return runs.flatMap((run) => [...noSweepNeeded.check(new Evidence(run))]);
}

test.each([
  { what: 'dies before it requests the clean-up', change: dies },
  { what: 'dies while the write of the ending is on the way', change: diesAtTheWrite },
  { what: 'cannot request the clean-up', change: failsToAsk },
])('a webhook that $what may leave an agent for the sweep', async ({ change }) => {
  expect(await leftBy(change)).toEqual([]);
});

test('a webhook that nothing cuts off leaves no agent', async () => {
  expect(await leftBy(unchanged)).toEqual([]);
  expect(await leftBy(forgets)).not.toEqual([]);
});
