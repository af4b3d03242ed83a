import { describe, expect, test } from 'vitest';
import { CommitReport, settledReport, waitingReport } from '../../../../functions/domain/commit-report.ts';
import { type JobRecord, mergeJob } from '../../../../functions/domain/job-record.ts';
import { endingOf, recordOf, signalOf } from '../../../contract/launch-fixtures.ts';
import { commitReport } from '../../../support/commit-report.ts';
import { queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

const now = queuedAtEpochMs + 60_000;
const launch = recordOf('gitea-7-8-1');
const url = 'https://gitea.example/8';

function jobWith(given: Partial<JobRecord> = {}): JobRecord {
  return { ...mergeJob(undefined, seenJob({ sha: 'c0ffee', workflow: 'ci', url }), queuedAtEpochMs), ...given };
}

test("a job that exceeds its profile's waiting time gets a waiting status on its commit, with a link", () => {
  expect(waitingReport(jobWith(), launch, 60, now)).toEqual({ ...commitReport(), targetUrl: url });
  expect(waitingReport(jobWith(), launch, 61, now)).toBeUndefined();
});

test('a job whose launch has failed gets a waiting status at once', () => {
  const failed = { ...launch, status: 'failed' as const, ending: endingOf() };

  expect(waitingReport(jobWith(), failed, 3600, now)?.description).toMatch(/^ImagePullFailed: manifest unknown\. /);
});

test('a job without a commit gets no status', () => {
  const { sha: _sha, ...job } = jobWith();

  expect(waitingReport(job, launch, 60, now)).toBeUndefined();
});

test('a job without a queueing time waits since its launch was requested', () => {
  const { queuedAtEpochMs: _queuedAt, ...job } = jobWith({ lastLaunch: { launchId: 'a', atEpochMs: now - 60_000 } });

  expect(waitingReport(job, launch, 60, now)).toBeDefined();
  expect(waitingReport(job, launch, 61, now)).toBeUndefined();
  const { lastLaunch: _lastLaunch, ...unknown } = job;
  expect(waitingReport(unknown, undefined, 60, now)).toBeUndefined();
});

describe('the description', () => {
  test.each([
    [
      'of the cluster, and what to do',
      { ...launch, signal: signalOf({ code: 'QuotaExceeded', detail: 'full' }) },
      'QuotaExceeded: full. Raise the quota',
    ],
    ['of the cluster alone, without advice', { ...launch, signal: signalOf() }, 'Unschedulable: 0/3 nodes are'],
    ['of a launch under way', launch, 'its agent is being launched'],
    ['of an agent that waits for its job', { ...launch, status: 'connected' as const }, 'its agent is connected'],
    ['of an ended launch', { ...launch, status: 'terminated' as const }, 'its agent is gone'],
    ['of a job without a launch', undefined, 'no agent was launched yet'],
  ])('has the words %s', (_what, record, words) => {
    expect(waitingReport(jobWith(), record, 60, now)?.description).toContain(words);
  });

  test('has the reason why davit requested no agent, if it is known', () => {
    const job = jobWith({ notLaunched: 'the event came late' });

    expect(waitingReport(job, undefined, 60, now)?.description).toBe('the event came late');
  });

  test('has at most 140 characters, and ends in an ellipsis when it is cut', () => {
    const signal = signalOf({ detail: '0/3 nodes are available. '.repeat(20) });

    const report = waitingReport(jobWith({ name: 'x'.repeat(300) }), { ...launch, signal }, 60, now);

    expect(report?.description).toHaveLength(140);
    expect(report?.description).toMatch(/…$/);
    expect(CommitReport.parse(report)).toEqual(report);
  });

  test('stays the same while its facts do', () => {
    const record = { ...launch, signal: signalOf() };

    const later = waitingReport(jobWith(), record, 60, now + 600_000);

    expect(later?.description).toBe(waitingReport(jobWith(), record, 60, now)?.description);
  });
});

test('a report is withdrawn under the same name, and is never a failure', () => {
  const at = commitReport().atEpochMs + 1;

  expect(settledReport(commitReport(), true, at)).toEqual(
    commitReport({ state: 'success', description: 'an agent runs the job', atEpochMs: at }),
  );
  expect(settledReport(commitReport(), false, at)).toMatchObject({ state: 'success' });
});
