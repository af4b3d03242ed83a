import { SeenJob } from '../../../../core/job/job-record.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { doubtedSince } from '../../../../functions/reconcile/read-jobs.ts';
import { idleLaunch, jobRecord, launchesView, roundView } from '../../../support/round-view.ts';

const launch = idleLaunch();
const job = jobRecord({ launches: 1, lastLaunch: { launchId: launch.launchId, atEpochMs: 1 } });
const jobs = { ...roundView().jobs, open: [job] };
const over: LaunchRecord = { ...launch, status: 'cleaning' };

test('a queued job whose launch has ended since its record was read is doubted', () => {
  expect(doubtedSince(jobs, launchesView([over]))).toEqual({ ...jobs, open: [], unknown: [job] });
});

test.each([
  ['whose launch is live', jobs, [launch]],
  ['whose launch is forgotten', jobs, []],
  ['that was not launched for', { ...jobs, open: [jobRecord()] }, [over]],
  [
    'that the CI system has just said to be queued',
    { ...jobs, news: [{ seen: SeenJob.parse(job), before: job }] },
    [over],
  ],
  ['that runs', { ...jobs, open: [{ ...job, status: 'in_progress' as const }] }, [over]],
])('a job %s is not doubted', (_what, given, launches) => {
  expect(doubtedSince(given, launchesView(launches))).toEqual(given);
});
