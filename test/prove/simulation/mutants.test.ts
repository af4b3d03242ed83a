import { findViolation } from '../../../simulation/find-violation.ts';
import { scenarioOf } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';

/** A change of davit moves its mutants' seeds a little. */
const mostSeeds = 60;

describe('the simulation catches a davit with one fault', () => {
  test.each(mutants)(
    'from seed $seed on: $name',
    async (mutant) => {
      const scenario = { ...scenarioOf(mutant), mutation: mutant.mutation };

      const found = await findViolation(scenario, mutant.seed, mostSeeds, mutant.breaks);

      expect(found?.violations[0]?.detail).toMatch(/./);
    },
    60_000,
  );

  test.each(mutants)(
    'and finds nothing in the same world without the fault: $name',
    async (mutant) => {
      const found = await findViolation(scenarioOf(mutant), mutant.seed, 1);

      expect(found).toBeUndefined();
    },
    60_000,
  );
});
