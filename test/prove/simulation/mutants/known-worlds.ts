import { findViolation } from '../../../../simulation/find-violation.ts';
import type { Broken } from '../../../../simulation/tally.ts';
import { type Mutant, scenarioOf } from './mutant.ts';

/** A change of davit moves its mutants' seeds a little. */
const mostSeeds = 60;

/** Finds the violation of a mutant in the world that is known to reveal it, or in one of the next. */
export function findMutant(mutant: Mutant): Promise<Broken | undefined> {
  const scenario = { ...scenarioOf(mutant), mutation: mutant.mutation };
  return findViolation(scenario, mutant.world.seed, mostSeeds, mutant.world.breaks);
}

/** Finds a violation of davit itself in that world. */
export function findWithoutMutant(mutant: Mutant): Promise<Broken | undefined> {
  return findViolation(scenarioOf(mutant), mutant.world.seed, 1);
}
