import { summarize } from '../../../../core/job/job-summary.ts';
import { queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

test('a job is summed up by its names, its run and the times of its CI system', () => {
  const startedAtEpochMs = queuedAtEpochMs + 1000;

  expect(summarize(seenJob({ workflow: 'ci', runId: 40, startedAtEpochMs }))).toStrictEqual({
    name: 'build',
    repository: 'acme/app',
    workflow: 'ci',
    runId: 40,
    attempt: 1,
    queuedAtEpochMs,
    startedAtEpochMs,
  });
});

test('a job of which little is known has only that in its summary', () => {
  const { queuedAtEpochMs: _queuedAt, ...job } = seenJob({ repository: { owner: '-', name: '-' } });

  expect(summarize(job)).toStrictEqual({ name: 'build', attempt: 1 });
});

test('each text of a summary has at most 200 characters', () => {
  const long = 'x'.repeat(300);

  expect(summarize(seenJob({ name: long, workflow: long, repository: { owner: 'acme', name: long } }))).toMatchObject({
    name: 'x'.repeat(200),
    workflow: 'x'.repeat(200),
    repository: `acme/${'x'.repeat(195)}`,
  });
});
