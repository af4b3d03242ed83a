import { judge } from './invariants/invariants.ts';
import { runSeed, type Scenario } from './run-seed.ts';
import { addRun, emptyTally, type Tally } from './tally.ts';

/** A span of seeds, one run each. */
export interface SeedSpan {
  fromSeed: number;
  seeds: number;
}

/** Runs each seed of a span, judges it, and says what they came to. */
export async function runSeeds({ fromSeed, seeds }: SeedSpan, scenario: Scenario = {}): Promise<Tally> {
  const tally = emptyTally();
  for (let seed = fromSeed; seed < fromSeed + seeds; seed += 1) {
    const run = await runSeed(seed, scenario);
    addRun(tally, run, judge(run));
  }
  return tally;
}
