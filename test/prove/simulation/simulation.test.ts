import { judge } from '../../../simulation/invariants/invariants.ts';
import { shrunkReport, trace } from '../../../simulation/report.ts';
import { type Run, runSeed, type Scenario } from '../../../simulation/run-seed.ts';
import { addRun, emptyTally, type Tally } from '../../../simulation/tally.ts';
import { allFaultKinds, type FaultKind } from '../../../simulation/world/fault-kinds.ts';
import { verifyJobs } from '../../../verify/jobs/verify-jobs.ts';
import { withoutStacks } from '../../support/without-stacks.ts';
import { jobEventsOf } from './evidence/job-events.ts';
import { runTraced, traceOf, verifyRun } from './evidence/trace-of.ts';

withoutStacks();

/** CI continues where these end: `npm run simulate -- --seed 51`, and `--mixed --seed 21`. */
const [seeds, mixedSeeds] = [50, 20];
/** Of the traces of as many of them, the protocol is checked. */
const [tracedSeeds, tracedMixedSeeds] = [20, 15];

/**
 * Runs and judges worlds, and compares the traces and the jobs of the first ones with the protocol.
 *
 * @returns also how many writes were traced, and how many traced jobs ran
 */
async function runWorlds(count: number, traced: number, scenario: Scenario = {}) {
  const tally = emptyTally();
  let [writes, ran] = [0, 0];
  for (let seed = 1; seed <= count; seed += 1) {
    const run = await runTraced(seed, scenario).catch((cause: unknown) => {
      throw new Error(`seed ${seed} does not run to its end`, { cause });
    });
    addRun(tally, run, judge(run));
    if (seed > traced) continue;
    const [steps, jobs] = [verifyRun(run), verifyJobs(jobEventsOf(run))];
    const found = jobs.findings.filter(({ rule }) => !keepsRunners(run) || rule !== 'a runner runs one job');
    expect({ seed, steps: steps.findings, jobs: found }).toEqual({ seed, steps: [], jobs: [] });
    writes += steps.writes;
    ran += jobs.ran;
  }
  return { tally, writes, ran };
}

/** Says whether a runner may get another job before davit has seen the first: a Jenkins has no nodes for one job. */
function keepsRunners({ world }: Run): boolean {
  return world.queue.server.kind.afterJob === 'asks for another';
}

/** Reports a violation as `npm run simulate` does: the seed, the command that runs it again, and its shrunk trace. */
async function reportOf({ broken }: Tally, scenario: Scenario = {}): Promise<string> {
  const [first] = broken;
  return first === undefined ? '' : shrunkReport(first, scenario);
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

  test(`no invariant breaks in ${seeds} worlds with random faults in combination, and their traces are the protocol's`, async () => {
    const worlds = await runWorlds(seeds, tracedSeeds);
    ({ tally } = worlds);

    expect(await reportOf(tally)).toBe('');
    expect(worlds.writes).toBeGreaterThan(3000);
    expect(worlds.ran).toBeGreaterThan(50);
  }, 300_000);

  test(`nor in ${mixedSeeds} worlds with sizes and warm agents at once, most with limits`, async () => {
    const worlds = await runWorlds(mixedSeeds, tracedMixedSeeds, { isMixed: true });

    expect(await reportOf(worlds.tally, { isMixed: true })).toBe('');
    expect(worlds.writes).toBeGreaterThan(1500);
    expect(worlds.ran).toBeGreaterThan(50);
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

  test.each([2, 33, 404])('seed %i is the same run each time, with the same trace', async (seed) => {
    const [first, again] = [await runTraced(seed, {}), await runTraced(seed, {})];

    expect(trace(again)).toEqual(trace(first));
    expect(traceOf(again)).toEqual(traceOf(first));
  });
});
