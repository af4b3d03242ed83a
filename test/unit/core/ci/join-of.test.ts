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

describe('an agent of a profile with warm agents', () => {
  const warm = { agents: 1, organizations: ['Acme'] };

  test('stands by in the place that the profile names, in any case', () => {
    expect(joinWith({ warm })).toEqual({ ...common, standsBy: true });
  });

  test.each([
    ['in another place', { warm: { agents: 1, organizations: ['umbrella'] } }, {}],
    ['in another CI system', { warm: { ...warm, ciSystem: 'other' } }, {}],
    ['with a size, which is a pool of its own', { warm, sizes: { cpu: { max: '4' } } }, { cpu: '2' }],
  ])('does not stand by %s', (_where, given, size) => {
    const profile = makeProfile({ runner: 'github', labels: ['linux'], idleSeconds: 60, ...given });

    expect(joinOf(github, profile, job, size)).not.toHaveProperty('standsBy');
  });

  test('does not stand by for a CI system that pins it to a job', () => {
    const forgejo = CiSystemConfig.parse({
      name: 'forgejo',
      provider: 'forgejo',
      url: 'https://forgejo.example',
      webhookSecret: 'webhook-secret',
      tokenSecret: 'token-secret',
      scope: 'admin',
    });
    const profile = makeProfile({
      runner: 'forgejo',
      labels: ['linux'],
      scope: 'repository',
      warm: { agents: 1, repositories: ['acme/app'] },
    });

    expect(joinOf(forgejo, profile, job)).toMatchObject({ pinnedTo: '1' });
    expect(joinOf(forgejo, profile, job)).not.toHaveProperty('standsBy');
  });
});
