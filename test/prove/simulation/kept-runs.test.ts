import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepRuns, openRuns } from '../../../simulation/kept-runs.ts';
import { runSeeds } from '../../../simulation/run-seeds.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'davit-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

test('stored results of runs read back unchanged, so that the runs can continue', async () => {
  const file = join(folder, 'runs.json');
  const begun = await openRuns(file, 'v1', { fromSeed: 1, seeds: 10 });
  const tally = await runSeeds({ fromSeed: 1, seeds: 3 });
  tally.broken.push({ seed: 2, violations: [{ invariant: '5: nothing is left', detail: 'a Pod' }] });

  await keepRuns(file, { ...begun, seeds: 3, tally });

  expect(begun).toMatchObject({ seeds: 0, tally: { runs: 0 } });
  expect(await openRuns(file, 'v1', { fromSeed: 1, seeds: 10 })).toEqual({
    code: 'v1',
    fromSeed: 1,
    times: 1,
    seeds: 3,
    tally,
  });
});

test.each([
  { what: 'other code', code: 'v2', fromSeed: 1, seeds: 10, says: 'other code: v1' },
  { what: 'another first seed', code: 'v1', fromSeed: 2, seeds: 10, says: '5 seeds from 1 on' },
  { what: 'larger worlds', code: 'v1', fromSeed: 1, seeds: 5, times: 3, says: '1 times as many jobs, not 3' },
  { what: 'fewer seeds', code: 'v1', fromSeed: 1, seeds: 4, says: '5 seeds from 1 on' },
])('results are not added to those of $what', async ({ code, says, ...span }) => {
  const file = join(folder, 'runs.json');
  const begun = await openRuns(file, 'v1', { fromSeed: 1, seeds: 5 });
  await keepRuns(file, { ...begun, seeds: 5 });

  await expect(openRuns(file, code, span)).rejects.toThrow(says);
});
