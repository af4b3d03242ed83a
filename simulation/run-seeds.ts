import { judge } from './invariants/invariants.ts';
import { runSeed, type Scenario } from './run-seed.ts';
import { addRun, emptyTally, type Tally } from './tally.ts';

/** What a run breaks that throws: no invariant of davit's, but one of the simulation. */
export const runsToItsEnd = 'the simulation: a run comes to its end, and is judged';

/** A span of seeds, one run each. */
export interface SeedSpan {
  fromSeed: number;
  seeds: number;
}

/** Runs each seed of a span, judges it, and says what they came to. What throws is broken, and the rest is run. */
export async function runSeeds({ fromSeed, seeds }: SeedSpan, scenario: Scenario = {}): Promise<Tally> {
  const tally = emptyTally();
  for (let seed = fromSeed; seed < fromSeed + seeds; seed += 1) {
    try {
      const run = await runSeed(seed, scenario);
      addRun(tally, run, judge(run));
    } catch (error) {
      // The simulation itself is wrong, and must say so; but one seed of a million takes no other with it.
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      tally.broken.push({ seed, violations: [{ invariant: runsToItsEnd, detail }] });
    }
  }
  return tally;
}
