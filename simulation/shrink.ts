import { judge } from './invariants/invariants.ts';
import { type Run, runSeed, type Scenario } from './run-seed.ts';
import type { FaultPlan } from './world/faults.ts';

/** The smallest scenario found in which a seed still breaks the same invariant, and its run. */
export interface Shrunk {
  plan: FaultPlan;
  jobs: number;
  queued: number;
  run: Run;
}

/**
 * Shrinks a run that breaks an invariant: leaves out one kind of fault after another, and then jobs from the last one
 * on, queued ones first, as long as the run stays broken.
 *
 * @param invariant the invariant's name
 */
export async function shrink(run: Run, invariant: string, scenario: Scenario = {}): Promise<Shrunk> {
  let smallest: Shrunk = { plan: run.plan, jobs: run.jobs, queued: run.queued, run };

  async function keepIfBroken(fewer: { plan?: FaultPlan; jobs?: number; queued?: number }): Promise<void> {
    const { plan, jobs, queued } = { ...smallest, ...fewer };
    const candidate = await runSeed(run.seed, { ...scenario, plan, jobs, queued });
    const isBroken = judge(candidate).some((violation) => violation.invariant === invariant);
    if (isBroken) smallest = { plan, jobs, queued, run: candidate };
  }

  for (const kind of run.plan.keys()) {
    await keepIfBroken({ plan: new Map([...smallest.plan].filter(([other]) => other !== kind)) });
  }
  for (let queued = run.queued - 1; queued >= 0; queued -= 1) await keepIfBroken({ queued });
  for (let jobs = run.jobs - 1; jobs >= 0; jobs -= 1) await keepIfBroken({ jobs });
  return smallest;
}
