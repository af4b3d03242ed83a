import { runAnyWorld } from './any-world.ts';

// The defects of mutants.test.ts show within 20 worlds. The simulation runs more, with more in them.
const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

test('in any world every job runs, no agent ends during a job, and nothing is left', async () => {
  for (const seed of seeds) {
    const { requested, jobs, ...end } = await runAnyWorld(seed);

    expect({ seed, ...end }).toEqual({ seed, killed: [], queued: 0, live: 0, runners: 0, lateRepairs: 0 });
    expect(jobs).toBeGreaterThan(10);
    expect(Math.max(...launchesByJob(requested).values())).toBeLessThanOrEqual(4);
  }
}, 120_000);

/** Counts launches by the job in their ids. */
function launchesByJob(requested: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const launchId of requested) {
    const job = launchId.replace(/-x\d+$/, '');
    counts.set(job, (counts.get(job) ?? 0) + 1);
  }
  return counts;
}
