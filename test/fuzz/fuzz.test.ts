import { expect, test } from '@jest/globals';
import { doors } from './doors.ts';
import { planBatches } from './plan-batches.ts';

const inputs = 4000;
const seed = 20_260_601;

// A door that has a whole runtime behind it is left to `npm run fuzz`, which sends a million.
const quickDoors = doors.filter(({ share }) => share >= 10);

test.each(quickDoors)('the door $name lets nobody in and blames nobody but the caller', async (door) => {
  await using open = await door.open();

  for (const batch of planBatches(quickDoors, inputs, seed).filter((planned) => planned.door === door.name)) {
    const { failure } = await open.knock(batch);

    expect(failure).toBeUndefined();
  }
});
