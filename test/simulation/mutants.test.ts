import { describe, expect, test } from '@jest/globals';
import { readKills } from '../../scripts/proof/proof-docs.ts';
import { findViolation } from '../../simulation/find-violation.ts';
import { planOf } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';

/** A change of davit moves its mutants' seeds a little. */
const mostSeeds = 30;

describe('a davit with one thing wrong is caught', () => {
  test.each(mutants)(
    'from seed $seed on: $name',
    async (mutant) => {
      const scenario = { plan: planOf(mutant), mutation: mutant.mutation };

      const found = await findViolation(scenario, mutant.seed, mostSeeds, mutant.breaks);

      expect(found?.violations[0]?.detail).toMatch(/./);
    },
    60_000,
  );

  test.each(mutants)(
    'and without that, the same world is well: $name',
    async (mutant) => {
      const found = await findViolation({ plan: planOf(mutant) }, mutant.seed, 1);

      expect(found).toBeUndefined();
    },
    60_000,
  );
});

const table = readKills();

describe('faults at random', () => {
  test('bring most of the mutants to light within 1,500 seeds', () => {
    const killed = table.kills.filter(({ seed }) => seed !== null && seed <= 1500);

    expect(killed.length).toBeGreaterThanOrEqual(20);
  });

  test('were tried on each mutant', () => {
    expect(table.kills.map(({ name }) => name)).toEqual(mutants.map(({ name }) => name));
  });
});
