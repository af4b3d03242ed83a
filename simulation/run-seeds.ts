import { judge } from './invariants/invariants.ts';
import { runSeed, type Scenario } from './run-seed.ts';
import { addRun, emptyTally, type Tally } from './tally.ts';

/** The violation of a run that throws. It is an invariant of the simulation, not of davit. */
export const runsToItsEnd = 'the simulation: a run comes to its end, and is judged';

/** A span of seeds, one run each. */
export interface SeedSpan {
  fromSeed: number;
  seeds: number;
}

/** Runs and judges each seed of a span, and adds up the results. A run that throws counts as broken; the others go on. */
export async function runSeeds({ fromSeed, seeds }: SeedSpan, scenario: Scenario = {}): Promise<Tally> {
  const tally = emptyTally();
  for (let seed = fromSeed; seed < fromSeed + seeds; seed += 1) {
    try {
      const run = await runSeed(seed, scenario);
      addRun(tally, run, judge(run));
    } catch (error) {
      // The simulation itself is wrong, and must report it. But one seed of a million must not stop the others.
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      tally.broken.push({ seed, violations: [{ invariant: runsToItsEnd, detail }] });
    }
  }
  return tally;
}
