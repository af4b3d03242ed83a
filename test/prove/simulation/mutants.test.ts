import { withoutStacks } from '../../support/without-stacks.ts';
import { findMutant, findWithoutMutant } from './mutants/known-worlds.ts';
import { mutants } from './mutants/mutants.ts';

withoutStacks();

/** One mutant of each group of invariants. CI runs all: `npm run prove -- mutants --known`. */
const sample = [...Map.groupBy(mutants, ({ world }) => world.breaks.split(':')[0]).values()].flatMap(
  ([first]) => first ?? [],
);

describe('the simulation catches a davit with one fault', () => {
  test.each(sample)('from seed $world.seed on: $name', async (mutant) => {
    const found = await findMutant(mutant);

    expect(found?.violations[0]?.detail).toMatch(/./);
  });

  test.each(sample)('and finds nothing in the same world without the fault: $name', async (mutant) => {
    expect(await findWithoutMutant(mutant)).toBeUndefined();
  });
});
