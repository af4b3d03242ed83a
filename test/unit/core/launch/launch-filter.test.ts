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

  test.each<[whose: string, shows: boolean, record: LaunchRecord]>([
    ['job is of it, in whatever case', true, recordWith({ job }, others)],
    ['agent runs a job of it', true, recordWith({}, { runs: { ...runs, job } })],
    ['agent runs an unknown job', false, recordWith({}, { runs })],
    [
      'agent joined for it',
      true,
      recordWith({ join: { ...join, scope: { repository: { owner: 'Acme', name: 'App' } } } }),
    ],
    ['agent joined for its organization', false, recordWith({ join: { ...join, scope: { organization: 'acme' } } })],
    ['URL is of it', true, recordWith({ sourceUrl: 'https://ci.example/Acme/App' })],
    ['URL is of its job', true, recordWith({ sourceUrl: 'https://ci.example/acme/app/jobs/2' })],
    ['URL is of another', false, recordWith({ sourceUrl: 'https://ci.example/acme/app2' })],
    ['URL has it in its query', false, recordWith({ sourceUrl: 'https://x.io/?/acme/app/' })],
  ])('whose %s: %j', (_whose, shows, record) => {
    expect(isShown({ repository: 'ACME/app' }, record)).toBe(shows);
  });
});
