import {
  checkRunnerImages,
  judgeVersion,
  type RunnerRelease,
  runnerReleases,
} from '../../../cli/doctor/check-runner-images.ts';
import { readConfig } from '../../../core/config/read-config.ts';
import { makeProfile } from '../../support/make-profile.ts';

const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
const releases: RunnerRelease[] = [
  { version: '2.330.0', publishedAtEpochMs: at('2026-10-20') },
  { version: '2.329.1', publishedAtEpochMs: at('2026-10-01') },
  { version: '2.329.0', publishedAtEpochMs: at('2026-09-01') },
  { version: '2.99.0', publishedAtEpochMs: at('2020-01-01') },
];

describe('a runner of GitHub', () => {
  test.each([
    ['2.330.0', '2026-12-31', 'ok', /is the latest release/],
    ['2.329.1', '2026-11-18', 'warning', /newer release, 2\.330\.0: GitHub takes it until 2026-11-19/],
    ['2.329.1', '2026-11-19', 'problem', /until 2026-11-19/],
    ['2.329.0', '2026-11-01', 'problem', /newer release, 2\.329\.1: GitHub takes it until 2026-10-31/],
    ['2.100.0', '2026-11-01', 'problem', /newer release, 2\.329\.0/],
  ] as const)('of version %s is on %s judged %s', (version, today, verdict, words) => {
    const finding = judgeVersion('image', version, releases, at(today));

    expect(finding).toMatchObject({ verdict, what: expect.stringMatching(words) });
    if (verdict !== 'ok') expect(finding.fix).toContain('actions-runner:2.330.0');
  });

  const check = async (container: object, readReleases = async () => releases) => {
    const config = await readConfig('davit.yaml');
    const template = { spec: { containers: [{ name: 'agent', image: 'none', ...container }] } };
    const profiles = [makeProfile({ runner: 'github', agentContainer: 'agent', template }), makeProfile()];
    return checkRunnerImages({ ...config, profiles }, { readReleases, nowEpochMs: at('2026-12-31') });
  };
  const github = 'ghcr.io/actions/actions-runner';

  test.each([
    [{ image: `${github}:latest` }, 'ok'],
    [{ image: github }, 'ok'],
    [{ image: `${github}:latest`, imagePullPolicy: 'IfNotPresent' }, 'warning'],
    [{ image: `${github}:2.329.0` }, 'problem'],
    [{ image: `${github}@sha256:${'0'.repeat(64)}` }, 'skipped'],
    [{ image: 'registry.example.com/runner:2.329.0' }, 'skipped'],
  ])('in %j is judged by its reference', async (container, verdict) => {
    expect((await check(container)).map((finding) => finding.verdict)).toEqual([verdict]);
  });

  test('is not judged when GitHub does not answer', async () => {
    const findings = await check({ image: `${github}:2.329.0` }, () => Promise.reject(new Error('no route')));

    expect(findings).toMatchObject([{ verdict: 'skipped', what: expect.stringContaining('no route') }]);
  });

  test('reads the releases once for all profiles', async () => {
    const config = await readConfig('davit.yaml');
    const template = { spec: { containers: [{ name: 'agent', image: `${github}:2.330.0` }] } };
    const profile = makeProfile({ runner: 'github', agentContainer: 'agent', template });
    let reads = 0;
    const readReleases = async () => {
      reads += 1;
      return releases;
    };

    const checks = { readReleases, nowEpochMs: at('2026-12-31') };
    const findings = await checkRunnerImages({ ...config, profiles: [profile, profile] }, checks);

    expect(findings).toHaveLength(2);
    expect(reads).toBe(1);
  });
});

test("GitHub's list of releases is read without drafts and previews", () => {
  const release = { tag_name: 'v2.330.0', published_at: '2026-10-20T00:00:00Z', prerelease: false, draft: false };
  const list = [release, { ...release, published_at: null }, { ...release, prerelease: true }];

  expect(runnerReleases(list)).toEqual([releases[0]]);
});
