import { runSeeds } from '../../../simulation/run-seeds.ts';

const seedsEach = 5;
const spans = Array.from({ length: 20 }, (_, index) => 1 + index * seedsEach);

test.each(spans)('the simulation breaks no invariant from seed %i on', async (fromSeed) => {
  const { broken } = await runSeeds({ fromSeed, seeds: seedsEach });

  expect(broken).toEqual([]);
});
