import { describe, expect, test } from '@jest/globals';
import { findViolation } from './find-violation.ts';
import { planOf } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';

const mostSeeds = 300;

describe('a davit with one thing wrong is caught', () => {
  test.each(mutants)(
    'from seed $seed on: $name',
    async (mutant) => {
      const scenario = { plan: planOf(mutant), mutation: mutant.mutation };

      const found = await findViolation(scenario, mutant.seed, mostSeeds, mutant.breaks);

      expect(found?.violations[0]?.says).toMatch(/./);
    },
    60_000,
  );

  test.each(mutants)(
    'and without that, the same worlds are well: $name',
    async (mutant) => {
      const found = await findViolation({ plan: planOf(mutant) }, mutant.seed, 20);

      expect(found).toBeUndefined();
    },
    60_000,
  );
});
