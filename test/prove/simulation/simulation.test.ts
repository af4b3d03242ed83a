import { judge } from '../../../simulation/invariants/invariants.ts';
import { findingReport, trace } from '../../../simulation/report.ts';
import { runSeed, type Scenario } from '../../../simulation/run-seed.ts';
import { runSeeds } from '../../../simulation/run-seeds.ts';
import { shrink } from '../../../simulation/shrink.ts';
import { emptyTally, type Tally } from '../../../simulation/tally.ts';
import { allFaultKinds, type FaultKind } from '../../../simulation/world/fault-kinds.ts';

/** CI continues where this ends: `npm run simulate -- --seed 201`. */
const seeds = 200;
const mixedSeeds = 100;

/** Reports a violation as `npm run simulate` does: the seed, the command that runs it again, and its shrunk trace. */
async function reportOf({ broken }: Tally, scenario: Scenario = {}): Promise<string> {
  const [first] = broken;
  if (first?.violations[0] === undefined) return '';
  const shrunk = await shrink(await runSeed(first.seed, scenario), first.violations[0].invariant, scenario);
  const detail = first.violations.map((violation) => `${violation.invariant}: ${violation.detail}`);
  return findingReport(shrunk, [`seed ${first.seed}`, ...detail]);
}

/** Looks for a kind of fault in a few worlds with a queue whose jobs are cancelled, so that agents are retired. */
async function hitsWhereLikely(kind: FaultKind): Promise<boolean> {
  for (let seed = 1; seed <= 20; seed += 1) {
    const plan = new Map<FaultKind, number>([
      ['ciJobCancelled', 0.5],
      [kind, 0.5],
    ]);
    const run = await runSeed(seed, { plan, queued: 8, maxAgents: 'any', warm: kind === 'warmLeaves' ? 1 : 0 });
    expect(judge(run)).toEqual([]);
    if (run.history.some((event) => event.kind === 'fault' && event.fault === kind)) return true;
  }
  return false;
}

describe('the simulation', () => {
  let tally = emptyTally();

  test(`no invariant breaks in ${seeds} worlds with random faults in combination`, async () => {
    tally = await runSeeds({ fromSeed: 1, seeds });

    expect(await reportOf(tally)).toBe('');
  }, 300_000);

  test(`no invariant breaks in ${mixedSeeds} worlds with sizes and warm agents at once, most with limits`, async () => {
    const mixed = await runSeeds({ fromSeed: 1, seeds: mixedSeeds }, { isMixed: true });

    expect(await reportOf(mixed, { isMixed: true })).toBe('');
  }, 300_000);

  test('every kind of fault has hit, and a rare one at least in worlds in which it is likely', async () => {
    const unhit: FaultKind[] = [];
    for (const kind of allFaultKinds) if (!tally.faults.has(kind) && !(await hitsWhereLikely(kind))) unhit.push(kind);

    expect(unhit).toEqual([]);
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
    const run = await runSeed(1, { plan: new Map(), jobs: 6, queued: 4 });

    expect(run.launches).toBe(10);
    expect(run.world.launches.all().map(({ connectedAtEpochMs }) => connectedAtEpochMs)).not.toContain(undefined);
  });

  test.each([2, 33, 404])('seed %i is the same run each time', async (seed) => {
    const first = trace(await runSeed(seed));

    expect(trace(await runSeed(seed))).toEqual(first);
  });
});
