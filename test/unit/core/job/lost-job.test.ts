import type { JobRecord } from '../../../../core/job/job-record.ts';
import { LostJob, lostJobKeyOf, lostJobOf } from '../../../../core/job/lost-job.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { lostJob } from '../../../support/lost-job.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

const lostAtEpochMs = queuedAtEpochMs + 60_000;
const join = { ciSystem: 'gitea', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 300 };
const rerun = { ...join, rerunWhenLost: true };
const running: JobRecord = {
  ...seenJob({ status: 'in_progress', runId: 40 }),
  launches: 1,
  expiresAtEpochSeconds: 1_781_517_601,
};
const { runId: _runId, ...withoutRun } = running;

function launchWith(given: Partial<LaunchRecord> = {}, joined: typeof rerun | typeof join = rerun): LaunchRecord {
  const by = { outcome: 'terminated', code: 'Terminated', message: "the agent's Pod is gone", by: 'a sweep' } as const;
  return {
    ...newRecord(planLaunch(makeProfile(), { launchId: 'gitea-7-8-1', join: joined }, queuedAtEpochMs)),
    status: 'cleaning',
    ending: { ...by, isLoss: true, atEpochMs: lostAtEpochMs },
    ...given,
  };
}

test('a job that still runs after infrastructure took its agent is lost', () => {
  expect(lostJobOf(running, launchWith(), lostAtEpochMs + 1)).toEqual(lostJob({ lostAtEpochMs }));
});

const { plan: _plan, ...tombstone } = launchWith();
const { join: _join, ...notJoined } = launchWith().plan ?? {};
const { ending: _ending, ...unended } = launchWith({ status: 'terminated' });

test.each<{ fact: string; job?: JobRecord; launch?: LaunchRecord; listedAtEpochMs?: number }>([
  { fact: 'was listed at the moment of the loss', listedAtEpochMs: lostAtEpochMs },
  { fact: 'has a live launch', launch: launchWith({ status: 'connected' }) },
  { fact: 'has a launch without an ending', launch: unended },
  { fact: 'has a launch without a plan', launch: tombstone },
  { fact: 'has an agent that davit did not register', launch: { ...tombstone, plan: LaunchPlan.parse(notJoined) } },
  { fact: 'has a profile that runs no lost job again', launch: launchWith({}, join) },
  { fact: 'has no run', job: withoutRun },
  { fact: 'has a text for an id', job: { ...running, jobId: 'build-8' } },
])('a job that $fact is not', ({ job = running, launch = launchWith(), listedAtEpochMs = lostAtEpochMs + 1 }) => {
  expect(lostJobOf(job, launch, listedAtEpochMs)).toBeUndefined();
});

test.each([7, 'acme/app'])('a reader of a lost job gets all that was written, of the repository %j', (repositoryId) => {
  const job = lostJob({ repositoryId });

  expect(LostJob.parse(job)).toEqual(job);
});

test('a lost job shares its key with its re-runs alone: a slash in a name separates nothing', () => {
  expect(lostJobKeyOf(lostJob())).toBe('7/40/build');
  expect(lostJobKeyOf(lostJob({ name: 'build (a/b)' }))).toBe('7/40/build%20(a%2Fb)');
});
