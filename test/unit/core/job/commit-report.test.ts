import { CommitReport, settledReport, waitingReport } from '../../../../core/job/commit-report.ts';
import { type JobRecord, mergeJob } from '../../../../core/job/job-record.ts';
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
  expect(waitingReport(jobWith(), [launch], 60, now)).toEqual({ ...commitReport(), targetUrl: url });
  expect(waitingReport(jobWith(), [launch], 61, now)).toBeUndefined();
});

test('a job whose launch has failed gets a waiting status at once', () => {
  const failed = { ...launch, status: 'failed' as const, ending: endingOf() };

  expect(waitingReport(jobWith(), [failed], 3600, now)?.description).toMatch(/^ImagePullFailed: manifest unknown\. /);
});

test('a job without tries gets a waiting status, whatever its latest launch does, until its failures are old', () => {
  const failed = [1, 2, 3, 4].map((count) =>
    recordOf(`gitea-7-8-1-x${count}`, { status: 'failed', ending: endingOf({ atEpochMs: now - count * 60_000 }) }),
  );
  const tried = [...failed.slice(1), launch];

  expect(waitingReport(jobWith(), failed, 3600, now)?.description).toBe(
    '4 launches failed, davit tries again each 15 minutes. ImagePullFailed: manifest unknown',
  );
  expect(waitingReport(jobWith(), tried, 3600, now)).toBeUndefined();
  expect(waitingReport(jobWith(), failed, 7200, now + 3_600_000)?.description).toMatch(/^ImagePullFailed/);
});

test('a job without a workflow and a link has neither in its status', () => {
  const { workflow: _workflow, url: _url, ...job } = jobWith();

  expect(waitingReport(job, [launch], 60, now)).toStrictEqual(commitReport({ context: 'davit / build' }));
});

test('the name of a status has at most 200 characters', () => {
  const report = waitingReport(jobWith({ name: 'x'.repeat(300) }), [launch], 60, now);

  expect(report?.context).toBe(`davit / ci / ${'x'.repeat(186)}…`);
});

test('a job without a commit gets no status', () => {
  const { sha: _sha, ...job } = jobWith();

  expect(waitingReport(job, [launch], 60, now)).toBeUndefined();
});

test('a job without a queueing time waits since its launch was requested', () => {
  const { queuedAtEpochMs: _queuedAt, ...job } = jobWith({ lastLaunch: { launchId: 'a', atEpochMs: now - 60_000 } });

  expect(waitingReport(job, [launch], 60, now)).toBeDefined();
  expect(waitingReport(job, [launch], 61, now)).toBeUndefined();
  const { lastLaunch: _lastLaunch, ...unknown } = job;
  expect(waitingReport(unknown, [], 60, now)).toBeUndefined();
});

describe('the description', () => {
  test.each([
    [
      'of the cluster, and what to do',
      { ...launch, signal: signalOf({ code: 'QuotaExceeded', detail: 'full' }) },
      'QuotaExceeded: full. Raise the quota that the message names, or wait until other agents end: deadlines.quotaSeconds at most.',
    ],
    ['of the cluster, without advice', { ...launch, signal: signalOf() }, 'Unschedulable: 0/3 nodes are available'],
    ['of a launch under way', launch, 'its agent is being launched'],
    [
      'of an agent that waits for its job',
      { ...launch, status: 'connected' as const },
      'its agent is connected and has got no job yet',
    ],
    [
      'of an ended launch',
      { ...launch, status: 'terminated' as const, ending: endingOf({ outcome: 'terminated', code: 'Terminated' }) },
      'its agent is gone, and davit will launch another one',
    ],
    [
      'of a failed launch without advice',
      { ...launch, ending: endingOf({ code: 'NoneOfOurs', message: 'it broke' }) },
      'it broke',
    ],
    ['of a job without a launch', undefined, 'no agent was launched yet'],
  ])('has the words %s', (_what, record, words) => {
    expect(waitingReport(jobWith(), record === undefined ? [] : [record], 60, now)?.description).toBe(words);
  });

  test('has the reason why davit requested no agent, if it is known', () => {
    const job = jobWith({ notLaunched: 'the event came late' });

    expect(waitingReport(job, [], 60, now)?.description).toBe('the event came late');
    expect(waitingReport(job, [{ ...launch, status: 'terminated' }], 60, now)?.description).toBe('the event came late');
  });

  test.each([
    { text: 'x'.repeat(140), description: 'x'.repeat(140) },
    { text: 'x'.repeat(141), description: `${'x'.repeat(139)}…` },
    { text: `${'x'.repeat(138)}🚀 launches`, description: `${'x'.repeat(138)}\uFFFD…` },
    { text: '\uD83D', description: '\uFFFD' },
  ])('is $description for $text', ({ text, description }) => {
    expect(waitingReport(jobWith({ notLaunched: text }), [], 60, now)?.description).toBe(description);
  });
});

test('a report is withdrawn under the same name, and is never a failure', () => {
  const at = commitReport().atEpochMs + 1;

  expect(CommitReport.parse(settledReport(commitReport(), true, at))).toEqual(
    commitReport({ state: 'success', description: 'an agent runs the job', atEpochMs: at }),
  );
  expect(settledReport(commitReport(), false, at)).toEqual(
    commitReport({ state: 'success', description: 'the job no longer waits for an agent', atEpochMs: at }),
  );
});
