import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { joinOf } from '../../../../core/ci/join-of.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const github = CiSystemConfig.parse({
  name: 'github',
  provider: 'github',
  webhookSecret: 'webhook-secret',
  tokenSecret: 'token-secret',
});
const job = { repository: { owner: 'acme', name: 'app' }, organization: 'acme', jobId: 1 };
const common = { ciSystem: 'github', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 60 };

function joinWith(given: Parameters<typeof makeProfile>[0]) {
  return joinOf(github, makeProfile({ runner: 'github', labels: ['linux'], idleSeconds: 60, ...given }), job);
}

test("an agent that joins a group has the group's repositories, and whether its lost job is run again", () => {
  expect(joinWith({ runnerGroup: 'builds', repositories: ['acme/*'], rerunWhenLost: true })).toEqual({
    ...common,
    runnerGroup: 'builds',
    repositories: ['acme/*'],
    rerunWhenLost: true,
  });
});

test('an agent of a group that is open to any repository names none', () => {
  expect(joinWith({ runnerGroup: 'builds' })).toStrictEqual({ ...common, runnerGroup: 'builds' });
});

test('an agent without a group has neither', () => {
  expect(joinWith({ scope: 'organization' })).toEqual(common);
  expect(joinWith({ scope: 'repository', repositories: ['acme/*'] })).toEqual({
    ...common,
    scope: { repository: job.repository },
  });
});
