import { isShown, type LaunchFilter } from '../../../../core/launch/launch-filter.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const requestedAtEpochMs = Date.parse('2026-11-22T12:00:00Z');

function recordWith(given: Partial<LaunchPlan> = {}, others: Partial<LaunchRecord> = {}): LaunchRecord {
  const plan = planLaunch(makeProfile(), { launchId: 'github-1-2-1' }, requestedAtEpochMs);
  return { ...newRecord({ ...plan, ...given }), ...others };
}

const { plan: _plan, ...tombstone } = recordWith({}, { status: 'terminated' });

test.each<{ filter: LaunchFilter; shows: boolean }>([
  { filter: {}, shows: true },
  { filter: { sinceEpochMs: requestedAtEpochMs }, shows: true },
  { filter: { sinceEpochMs: requestedAtEpochMs + 1 }, shows: false },
  { filter: { untilEpochMs: requestedAtEpochMs }, shows: true },
  { filter: { untilEpochMs: requestedAtEpochMs - 1 }, shows: false },
  { filter: { profile: 'linux' }, shows: true },
  { filter: { profile: 'gpu' }, shows: false },
  { filter: { cluster: 'sandbox' }, shows: true },
  { filter: { cluster: 'elsewhere' }, shows: false },
  { filter: { profile: 'linux', cluster: 'elsewhere' }, shows: false },
  { filter: { repository: 'acme/app' }, shows: false },
])('a list by $filter shows the launch: $shows', ({ filter, shows }) => {
  expect(isShown(filter, recordWith())).toBe(shows);
});

test.each(['profile', 'cluster', 'repository'])('a list by %s shows no tombstone', (field) => {
  expect(isShown({ [field]: 'linux' }, tombstone)).toBe(false);
});

describe('a list of a repository shows the launch', () => {
  const job = { name: 'build', repository: 'Acme/App', attempt: 1 };
  const join = { ciSystem: 'github', labels: ['linux'], idleSeconds: 300 };
  const runs = { jobKey: 'github/1/2/1', sinceEpochMs: requestedAtEpochMs };
  const others = { runs: { ...runs, job: { ...job, repository: 'acme/other' } } };

  test.each<{ whose: string; record: LaunchRecord; shows: boolean }>([
    { whose: 'job is of it, in whatever case', record: recordWith({ job }, others), shows: true },
    { whose: 'agent runs a job of it', record: recordWith({}, { runs: { ...runs, job } }), shows: true },
    { whose: 'agent runs an unknown job', record: recordWith({}, { runs }), shows: false },
    {
      whose: 'agent joined for it',
      record: recordWith({ join: { ...join, scope: { repository: { owner: 'Acme', name: 'App' } } } }),
      shows: true,
    },
    {
      whose: 'agent joined for its organization',
      record: recordWith({ join: { ...join, scope: { organization: 'acme' } } }),
      shows: false,
    },
    { whose: 'URL is of it', record: recordWith({ sourceUrl: 'https://ci.example/Acme/App' }), shows: true },
    {
      whose: 'URL is of its job',
      record: recordWith({ sourceUrl: 'https://ci.example/acme/app/jobs/2' }),
      shows: true,
    },
    { whose: 'URL is of another', record: recordWith({ sourceUrl: 'https://ci.example/acme/app2' }), shows: false },
    { whose: 'URL has it in its query', record: recordWith({ sourceUrl: 'https://x.io/?/acme/app/' }), shows: false },
  ])('whose $whose: $shows', ({ record, shows }) => {
    expect(isShown({ repository: 'ACME/app' }, record)).toBe(shows);
  });
});
