import { causesOf, type Symptoms } from '../../../cli/view/causes.ts';
import type { Launch } from '../../../cli/view/timeline.ts';
import { queuedJobView } from '../../../functions/jobs/queued-job-view.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { sqliteJobs } from '../../../local/store/sqlite-jobs.ts';
import { endingOf, epochMs, planOf, recordOf, signalOf } from '../../contract/launch-fixtures.ts';
import { seenJob } from '../../support/seen-job.ts';
import { shownLaunch } from '../../support/shown-launch.ts';

const none: Symptoms = { failed: [], launching: [], jobs: [], refusedWebhooks: [] };
const now = epochMs + 600_000;
const minute = (count: number) => epochMs + count * 60_000;
const isoOf = (at: number) => new Date(at).toISOString();

function failedAt(launchId: string, minutes: number, profile: string, message: string): Launch {
  const ending = endingOf({ message, atEpochMs: minute(minutes) });
  return shownLaunch(recordOf(launchId, { status: 'failed', ending, plan: planOf(launchId, { profile }) }), now);
}

test('failures are grouped by code and profile, the latest first, each with the latest words and advice', () => {
  const failed = [
    failedAt('a', 2, 'java', 'ImagePullFailed: no tag 7 (launch a, cluster sandbox)'),
    failedAt('b', 9, 'java', 'ImagePullFailed: no tag 8 (launch b, cluster sandbox)'),
    failedAt('c', 5, 'linux', 'ImagePullFailed: no tag 9 (launch c, cluster sandbox)'),
  ];

  const [java, linux, ...others] = causesOf({ ...none, failed }, now);

  expect(java).toMatchObject({
    kind: 'failed',
    count: 2,
    code: 'ImagePullFailed',
    about: 'profile java',
    title: 'An image could not be pulled within the grace period.',
    detail: 'no tag 8',
    advice: expect.stringContaining('imagePullSecrets'),
    since: isoOf(minute(2)),
    lastAt: isoOf(minute(9)),
    launchId: 'b',
  });
  expect(linux).toMatchObject({ count: 1, about: 'profile linux', launchId: 'c' });
  expect(others).toEqual([]);
});

test('launches that wait in trouble, or for longer than usual, need somebody, with the first limit', () => {
  const launching = [
    shownLaunch(recordOf('a', { timeline: { podMs: 0 }, signal: signalOf({ code: 'Unschedulable' }) }), now),
    shownLaunch(
      recordOf('b', {
        plan: planOf('b', { startedAtEpochMs: minute(1) }),
        timeline: { podMs: 0 },
        signal: signalOf({ code: 'Unschedulable' }),
      }),
      now,
    ),
    shownLaunch(recordOf('c', { timeline: { podMs: 1, tokenMs: 0 } }), now),
    shownLaunch(recordOf('d', { timeline: { podMs: 1, tokenMs: 590_000 } }), now),
  ];

  const causes = causesOf({ ...none, launching }, now);

  expect(causes.map(({ kind, count, title }) => `${kind} ${count} ${title}`)).toEqual([
    'waits 2 No node has room for the Pod.',
    'waits 1 The agent has not connected yet.',
  ]);
  expect(causes[0]?.givesUpAt).toBe(isoOf(epochMs + 900_000));
});

test('jobs that no profile takes are grouped by their labels; refused webhooks are failures', async () => {
  const jobs = sqliteJobs(openStore(':memory:'));
  const views = await Promise.all(
    [['windows'], ['windows'], ['gpu']].map(async (labels, at) => {
      const job = await jobs.note(seenJob({ jobId: at, name: `job ${at}`, labels, queuedAtEpochMs: minute(at) }), now);
      return queuedJobView({ job, noProfile: 'no profile has them' }, now);
    }),
  );
  const refused = { ciSystem: 'github', count: 7, why: 'wrong', since: isoOf(minute(1)), lastAt: isoOf(minute(2)) };

  const causes = causesOf({ ...none, jobs: views, refusedWebhooks: [refused] }, now);

  expect(causes.map(({ kind, count, about }) => `${kind} ${count} ${about}`)).toEqual([
    'failed 7 CI system github',
    'waits 1 labels gpu',
    'waits 2 labels windows',
  ]);
});

test('what goes as it should is no cause', () => {
  const launching = [shownLaunch(recordOf('a'), now)];

  expect(causesOf({ ...none, launching }, now)).toEqual([]);
});
