import { judge } from './invariants/invariants.ts';
import { runSeed, type Scenario } from './run-seed.ts';
import type { Broken } from './tally.ts';

/** @param breaks the beginning of the invariant's name @returns undefined when none of the seeds breaks it */
export async function findViolation(
  scenario: Scenario,
  fromSeed: number,
  seeds: number,
  breaks = '',
): Promise<Broken | undefined> {
  for (let seed = fromSeed; seed < fromSeed + seeds; seed += 1) {
    const violations = judge(await runSeed(seed, scenario)).filter(({ invariant }) => invariant.startsWith(breaks));
    if (violations.length > 0) return { seed, violations };
  }
  return undefined;
}
