import type { Scenario, ScenarioRun } from '../scenario.ts';
import { areOver } from './are-over.ts';

/** Runs some jobs at once, to their end. */
async function runJobs(run: ScenarioRun, jobs: number): Promise<{ ran: number }> {
  await run.start({ jobs, seconds: 1 });
  await run.until(`${jobs} jobs are over`, (attempts) => areOver(attempts, jobs));
  return { ran: jobs };
}

export const single: Scenario = { name: 'single', does: 'one job', run: (run) => runJobs(run, 1) };

export const matrix: Scenario = { name: 'matrix', does: 'six jobs at once', run: (run) => runJobs(run, 6) };

/** Many jobs at once. */
export const burst: Scenario = {
  name: 'burst',
  does: 'many jobs at once (--burst)',
  run: (run) => runJobs(run, run.burst),
};
