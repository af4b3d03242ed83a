import { verifyJobs } from '../../../../verify/jobs/verify-jobs.ts';
import { jobEventsOf } from './job-events.ts';
import { runTraced, traceOf, verifyRun } from './trace-of.ts';

const seeds = Array.from({ length: 45 }, (_, index) => index + 1);

test('the traces and the jobs of simulated worlds are as the protocol has them', async () => {
  let [writes, ran] = [0, 0];
  for (const seed of seeds) {
    const run = await runTraced(seed, { isMixed: seed % 3 === 0 });
    const [trace, jobs] = [verifyRun(run), verifyJobs(jobEventsOf(run))];

    expect({ seed, trace: trace.findings, jobs: jobs.findings }).toEqual({ seed, trace: [], jobs: [] });
    writes += trace.writes;
    ran += jobs.ran;
  }
  expect(writes).toBeGreaterThan(5000);
  expect(ran).toBeGreaterThan(100);
});

test('a trace is the same in each run of a seed', async () => {
  expect(traceOf(await runTraced(3, { isMixed: true }))).toEqual(traceOf(await runTraced(3, { isMixed: true })));
});
