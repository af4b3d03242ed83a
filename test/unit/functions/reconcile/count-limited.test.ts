import { countLimited } from '../../../../functions/reconcile/reconcile-slots.ts';

const now = 1_780_308_000_000;

test('jobs are counted by the limit that they wait for, in each CI system, with the age of the oldest', () => {
  const counted = countLimited(
    [
      { ciSystem: 'github', limitedBy: 'profile/linux', queuedAtEpochMs: now - 30_400 },
      { ciSystem: 'github', limitedBy: 'profile/linux', queuedAtEpochMs: now - 90_000 },
      { ciSystem: 'github', limitedBy: 'repository/github/acme/app', queuedAtEpochMs: now + 2000 },
      { ciSystem: 'gitea', limitedBy: 'profile/linux' },
      { ciSystem: 'gitea', queuedAtEpochMs: now - 5000 },
    ],
    now,
  );

  expect(counted).toEqual([
    { ciSystem: 'github', limit: 'profile/linux', jobs: 2, oldestSeconds: 90 },
    { ciSystem: 'github', limit: 'repository/github/acme/app', jobs: 1, oldestSeconds: 0 },
    { ciSystem: 'gitea', limit: 'profile/linux', jobs: 1, oldestSeconds: 0 },
  ]);
});
