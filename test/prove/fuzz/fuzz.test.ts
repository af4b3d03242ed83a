import { readFile } from 'node:fs/promises';
import { doors } from './doors.ts';
import { mutants } from './mutants/mutants.ts';
import { planBatches } from './plan-batches.ts';

// CI sends 5000: `npm run prove -- fuzz`.
const inputs = 2000;
const seed = 20_260_601;

// `npm run prove -- fuzz` covers the door with a whole runtime behind it, with a million inputs.
const quickDoors = doors.filter(({ share }) => share >= 10);

test.each(quickDoors)('the door $name admits no fuzzed input and blames nothing but the input', async (door) => {
  await using open = await door.open();

  for (const batch of planBatches(quickDoors, inputs, seed).filter((planned) => planned.door === door.name)) {
    const { failure } = await open.run(batch);

    expect(failure).toBeUndefined();
  }
});

test('the fuzzer has a mutant for every door that it tests in its own process', () => {
  const served = ['gateway', 'API server', 'runtime'];
  const known = new Set([...mutants.map(({ door }) => door), ...served]);

  expect(doors.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
});

test.each(mutants)('the text that mutant "$name" replaces occurs once in the source', async ({ file, from }) => {
  const source = await readFile(file, 'utf8');

  expect(source.split(from)).toHaveLength(2);
});
