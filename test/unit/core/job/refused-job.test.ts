import { JobRefused } from '../../../../core/events/job-events.ts';
import type { ProfileMatch } from '../../../../core/job/match-profile.ts';
import { refusedJobOf } from '../../../../core/job/refused-job.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

const bySize: ProfileMatch = {
  reason: 'no more than 8',
  refusal: 'Size',
  refusedBy: { profile: 'linux', label: 'davit/cpu=9' },
};

test('the event of a refused job says which job, why, and by which profile and label', () => {
  const event = refusedJobOf(seenJob({ url: 'https://ci.example/jobs/8' }), bySize, queuedAtEpochMs);

  expect(JobRefused.parse(event)).toEqual(event);
  expect(event).toStrictEqual({
    id: 'gitea/7/8/1/JobRefused/Size',
    ciSystem: 'gitea',
    job: { key: 'gitea/7/8/1', name: 'build', repository: 'acme/app', attempt: 1, url: 'https://ci.example/jobs/8' },
    refusal: 'Size',
    reason: 'no more than 8',
    profile: 'linux',
    label: 'davit/cpu=9',
    at: '2026-11-22T12:00:00.000Z',
  });
});

test('a job without a URL, refused because of its repository, has neither URL nor label', () => {
  const match: ProfileMatch = { reason: 'why', refusal: 'Repository', refusedBy: { profile: 'linux' } };

  const event = refusedJobOf(seenJob(), match, queuedAtEpochMs);

  expect(event).not.toHaveProperty('label');
  expect(event?.job).not.toHaveProperty('url');
});

test('the texts of the event have at most 500 characters', () => {
  const long = 'x'.repeat(501);
  const match: ProfileMatch = { ...bySize, reason: long, refusedBy: { profile: 'linux', label: long } };

  const event = refusedJobOf(seenJob(), match, queuedAtEpochMs);

  expect([event?.reason, event?.label]).toEqual([long.slice(1), long.slice(1)]);
});

test.each<{ fact: string; match: ProfileMatch }>([
  { fact: 'that a profile takes', match: { profile: makeProfile() } },
  { fact: 'that no profile has the labels of', match: { reason: 'why', refusal: 'NoProfile' } },
])('a job $fact has no event', ({ match }) => {
  expect(refusedJobOf(seenJob(), match, queuedAtEpochMs)).toBeUndefined();
});
