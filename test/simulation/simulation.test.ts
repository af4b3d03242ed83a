import { describe, expect, test } from '@jest/globals';
import { findingReport, trace } from '../../simulation/report.ts';
import { runSeed } from '../../simulation/run-seed.ts';
import { runSeeds } from '../../simulation/run-seeds.ts';
import { shrink } from '../../simulation/shrink.ts';
import { emptyTally, type Tally } from '../../simulation/tally.ts';
import { allFaultKinds } from '../../simulation/world/fault-kinds.ts';

/** CI goes on where this ends: `npm run simulate -- --seed 501`. */
const seeds = 500;

/** Says what broke as `npm run simulate` does: the seed, the command that runs it again, and its shrunk trace. */
async function reportOf({ broken }: Tally): Promise<string> {
  const [first] = broken;
  if (first?.violations[0] === undefined) return '';
  const shrunk = await shrink(await runSeed(first.seed), first.violations[0].invariant);
  const detail = first.violations.map((violation) => `${violation.invariant}: ${violation.detail}`);
  return findingReport(shrunk, [`seed ${first.seed}`, ...detail]);
}

describe('the simulation', () => {
  let tally = emptyTally();

  test(`no invariant breaks in ${seeds} worlds with faults at random and in combination`, async () => {
    tally = await runSeeds({ fromSeed: 1, seeds });

    expect(await reportOf(tally)).toBe('');
  }, 300_000);

  test('every kind of fault has hit', () => {
    expect(allFaultKinds.filter((kind) => !tally.faults.has(kind))).toEqual([]);
  });

  test('every status of a launch was reached, and launches were begun again', () => {
    expect([...tally.statuses.keys()].toSorted()).toEqual([
      'cleaning',
      'connected',
      'failed',
      'launching',
      'terminated',
    ]);
    expect(tally.relaunches).toBeGreaterThan(0);
  });

  test('a world without faults connects all its launches', async () => {
    const run = await runSeed(1, { plan: new Map(), jobs: 6 });

    expect(run.launches).toBe(6);
    expect(run.world.launches.all().map(({ connectedAtEpochMs }) => connectedAtEpochMs)).not.toContain(undefined);
  });

  test.each([2, 33, 404])('seed %i is the same run each time', async (seed) => {
    const first = trace(await runSeed(seed));

    expect(trace(await runSeed(seed))).toEqual(first);
  });
});
