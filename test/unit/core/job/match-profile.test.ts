import * as fc from 'fast-check';
import type { CiProvider } from '../../../../core/ci/ci-system-config.ts';
import type { Profile } from '../../../../core/config/config.ts';
import { matchProfile } from '../../../../core/job/match-profile.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const linux = makeProfile({ name: 'linux', labels: ['self-hosted', 'Linux', 'x64'] });
const gpu = makeProfile({ name: 'gpu', labels: ['self-hosted', 'linux', 'x64', 'GPU'] });

function match(profiles: readonly Profile[], labels: readonly string[], provider: CiProvider = 'github') {
  return matchProfile(profiles, { provider }, { labels: [...labels], repository: { owner: 'acme', name: 'app' } });
}

describe('matchProfile', () => {
  test('a job without labels has no profile', () => {
    expect(match([linux], [])).toEqual({ reason: 'the job has no labels', refusal: 'NoProfile' });
  });

  test.each([
    { job: ['self-hosted'], takes: 'linux' },
    { job: ['SELF-HOSTED', 'linux', 'X64'], takes: 'linux' },
    { job: ['linux', 'linux'], takes: 'linux' },
    { job: ['gpu'], takes: 'gpu' },
    { job: ['self-hosted', 'gpu', 'x64'], takes: 'gpu' },
    { job: ['self-hosted', 'arm64'], takes: undefined },
    { job: [''], takes: undefined },
    { job: [], takes: undefined },
  ])('a job that runs on $job goes to $takes', ({ job, takes }) => {
    expect(match([linux, gpu], job).profile?.name).toBe(takes);
  });

  test('the first profile with every label of a job takes it', () => {
    const label = fc.constantFrom('a', 'B', 'c', 'D', 'e');
    const labels = fc.array(label, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(labels, { maxLength: 5 }), labels, (offers, job) => {
        const profiles = offers.map((offer, index) => makeProfile({ name: `p${index}`, labels: offer }));

        const taken = match(
          profiles,
          job.map((wanted) => wanted.toUpperCase()),
        );

        const able = profiles.filter((profile) => job.every((wanted) => profile.labels.includes(wanted)));
        expect(taken.profile?.name).toBe(able[0]?.name);
      }),
    );
  });

  test('labels are case-sensitive for Gitea', () => {
    expect(match([linux], ['linux'], 'gitea')).toEqual({
      reason: "no profile has all of the job's labels: linux",
      refusal: 'NoProfile',
    });
    expect(match([linux, gpu], ['linux'], 'gitea').profile?.name).toBe('gpu');
  });

  test('a profile with a runner takes jobs of its kind of CI system only', () => {
    const runner = makeProfile({ name: 'runner', labels: ['linux'], runner: 'gitea' });

    expect(match([runner, gpu], ['linux'], 'github').profile?.name).toBe('gpu');
    expect(match([runner, gpu], ['linux'], 'gitea').profile?.name).toBe('runner');
  });

  test('a job of a repository that one profile does not take goes to the next that does', () => {
    const others = makeProfile({ name: 'others', repositories: ['umbrella/*'] });
    const ours = makeProfile({ name: 'ours', repositories: ['umbrella/*', 'ACME/a??'] });

    expect(match([others, ours, linux], ['linux']).profile?.name).toBe('ours');
    expect(match([others], ['linux'])).toEqual({
      reason: 'profile others takes no jobs of acme/app',
      refusal: 'Repository',
      refusedBy: { profile: 'others' },
    });
  });
});

test.each<[expression: string, profile: string | undefined, size?: object]>([
  ['linux', 'small'],
  ['linux && docker', 'big'],
  ['linux && !docker', 'small'],
  ['docker || mac', 'big'],
  ['mac', undefined],
  ['Linux', undefined],
  ['linux &&', undefined],
  ['docker && davit/cpu=4', 'big', { cpu: '4' }],
  ['docker && davit/cpu=64', undefined],
])("Jenkins' expression %s is for the profile %s", (expression, name, size) => {
  const jenkins = { runner: 'jenkins' as const };
  const profiles = [
    makeProfile({ ...jenkins, name: 'small', labels: ['linux'] }),
    makeProfile({ ...jenkins, name: 'big', labels: ['linux', 'docker'], sizes: { cpu: { max: '8' } } }),
  ];

  const { profile, size: found } = match(profiles, [expression], 'jenkins');

  expect(profile?.name).toBe(name);
  expect(found).toEqual(size);
});
