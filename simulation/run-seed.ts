import { makeCore } from './world/core.ts';
import { davit } from './world/davit.ts';
import { type FaultPlan, planFaults } from './world/faults.ts';
import type { HistoryEvent } from './world/history.ts';
import { Random, seedOf } from './world/random.ts';
import { type Mutation, World } from './world/world.ts';

/** What is run, beside its seed; what is left out the seed decides. */
export interface Scenario {
  /** The faults that may hit, and how often. */
  plan?: FaultPlan;
  /** How many jobs ask for an agent. */
  jobs?: number;
  /** What is wrong with davit. */
  mutation?: Mutation;
}

/** One run: what happened, and the world as it was left. */
export interface Run {
  seed: number;
  plan: FaultPlan;
  jobs: number;
  launches: number;
  history: readonly HistoryEvent[];
  world: World;
}

/**
 * A sweep leaves those alone who were at work lately, and gives a clean-up in vain more time each time; and after this
 * time every agent that still lives has done so for too long.
 */
const longAfterMs = 3_600_000;

/**
 * Runs a world from its seed until nothing more happens in it; then lets a sweep run, with nothing to disturb it, and
 * whatever that has set going; and another one, for what has to last from one to the next.
 */
export async function runSeed(seed: number, scenario: Scenario = {}): Promise<Run> {
  const plan = scenario.plan ?? planFaults(seed);
  const core = makeCore(seed, plan);
  const world = new World(core, seed, davit, scenario.mutation ?? {});
  const jobs = scenario.jobs ?? new Random(seedOf(seed, 'jobs')).whole(1, 6);
  world.outside.planSweeps();
  world.outside.planRotations();
  for (let jobId = 1; jobId <= jobs; jobId += 1) world.outside.plan(jobId);
  const goesOn = core.faults.hits('weeksLater', undefined);
  await core.scheduler.run();
  world.calm();
  for (let sweeps = 1; sweeps <= 3; sweeps += 1) {
    core.scheduler.after(longAfterMs, () => {
      core.history.add({ kind: 'sweptLast' });
      world.sweep();
    });
    await core.scheduler.run();
  }
  if (goesOn) await letWeeksPass(world, jobs);
  return { seed, plan, jobs, launches: world.launches.latest().length, history: core.history.events, world };
}

const dayMs = 86_400_000;

/** Lets agents reach their longest lifetime, then lets records and tokens expire, and asks for the same jobs again. */
async function letWeeksPass(world: World, jobs: number): Promise<void> {
  const { scheduler } = world.core;
  const sweepAfter = async (ms: number) => {
    scheduler.after(ms, () => world.sweep());
    await scheduler.run();
  };
  await sweepAfter(13 * dayMs);
  await sweepAfter(longAfterMs);
  scheduler.after(world.core.random.between(1, 4) * dayMs, () => {
    for (let jobId = 1; jobId <= jobs; jobId += 1) world.outside.returnLater(jobId);
  });
  await scheduler.run();
  await sweepAfter(longAfterMs);
  await sweepAfter(longAfterMs);
}
