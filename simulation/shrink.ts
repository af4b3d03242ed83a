import { judge } from './invariants/invariants.ts';
import { type Run, runSeed, type Scenario } from './run-seed.ts';
import type { FaultPlan } from './world/faults.ts';

/** The smallest scenario found in which a seed still breaks the same invariant, and its run. */
export interface Shrunk {
  plan: FaultPlan;
  jobs: number;
  run: Run;
}

/**
 * Shrinks a run that breaks an invariant: leaves out one kind of fault after another, and then jobs from the last on, as
 * long as it stays broken.
 *
 * @param invariant the invariant's name
 */
export async function shrink(run: Run, invariant: string, scenario: Scenario = {}): Promise<Shrunk> {
  let smallest: Shrunk = { plan: run.plan, jobs: run.jobs, run };

  async function keepIfBroken(plan: FaultPlan, fewerJobs: number): Promise<void> {
    const candidate = await runSeed(run.seed, { ...scenario, plan, jobs: fewerJobs });
    const isBroken = judge(candidate).some((violation) => violation.invariant === invariant);
    if (isBroken) smallest = { plan, jobs: fewerJobs, run: candidate };
  }

  for (const kind of run.plan.keys()) {
    await keepIfBroken(new Map([...smallest.plan].filter(([other]) => other !== kind)), smallest.jobs);
  }
  for (let fewer = run.jobs - 1; fewer >= 1; fewer -= 1) await keepIfBroken(smallest.plan, fewer);
  return smallest;
}
