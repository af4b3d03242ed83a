import { giteaAttempt } from '../../../../ci/gitea/gitea-attempt.ts';

test.each([
  { runAttempt: 0, runnerId: 0, attempt: 1 },
  { runAttempt: 1, runnerId: undefined, attempt: 2 },
  { runAttempt: 1, runnerId: null, attempt: 2 },
  { runAttempt: 1, runnerId: 3, attempt: 1 },
])(
  "Gitea's run_attempt $runAttempt with the runner $runnerId is attempt $attempt",
  ({ runAttempt, runnerId, attempt }) => {
    expect(giteaAttempt(runAttempt, runnerId)).toBe(attempt);
  },
);
