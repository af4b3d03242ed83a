import { readFile } from 'node:fs/promises';
import { sayLostWebhooks } from '../../../cli/doctor/lost-webhooks.ts';
import { CiSystemConfig } from '../../../core/ci/ci-system-config.ts';
import type { CiSystem, CiUsage } from '../../../ports/ci-system.ts';
import { makeProfile } from '../../support/make-profile.ts';

const limit = (requests: number) => ({ limit: { requests, left: requests, resetsAtEpochMs: 0 } });

/** What the doctor says about a CI system. */
function said(
  acting: object,
  usage: Omit<CiUsage, 'requests'> = {},
  scope: 'organization' | 'repository' = 'organization',
): string {
  const system = CiSystemConfig.parse({ name: 'acme', provider: 'github', webhookSecret: 'hook', ...acting });
  const listsJobsOf: CiSystem['listsJobsOf'] = system.provider === 'gitea' ? 'organization' : 'repository';
  const runner = system.provider === 'gitea' ? 'gitea' : 'github';
  const ci = { listsJobsOf, usage: () => ({ requests: 1, ...usage }) };
  return sayLostWebhooks('CI system acme: webhooks', system, [makeProfile({ runner, scope })], ci).what;
}

const gitea = { provider: 'gitea', url: 'https://gitea.example.com', tokenSecret: 'token' };

test('an App finds a lost webhook in the next round', () => {
  expect(said({ app: { id: 1, privateKeySecret: 'key' } }, limit(15_000))).toBe(
    "one that is lost is found within 1 min, in the App's list of deliveries, and delivered again",
  );
});

test('with a token, the time follows from the rate limit and the number of repositories', () => {
  expect(said({ tokenSecret: 'token' }, limit(5000))).toBe(
    'one that is lost, of a repository that has sent another one within a day, is found within 29 min with 100 ' +
      'repositories, 4 h 49 min with 1,000 repositories, 1 d with 5,000 repositories (0.25 of 5,000 requests an hour); ' +
      'a GitHub App finds it within 1 min',
  );
});

test('a larger share finds it sooner', () => {
  expect(said({ tokenSecret: 'token', rateLimitShare: 0.5 }, limit(5000))).toMatch(
    /within 15 min with 100 repositories, 2 h 25 min with 1,000 .*\(0\.5 of 5,000 requests an hour\)/,
  );
});

test('Gitea lists the jobs of organizations in each round', () => {
  expect(said(gitea)).toBe(
    'one that is lost is found within 1 min: davit lists the jobs of each organization that often',
  );
});

test('without a rate limit, the repositories of a Gitea take turns', () => {
  expect(said(gitea, {}, 'repository')).toMatch(/is found when its repository has its turn \(docs\/limits\.md\)$/);
});

test('the documents have the times that the doctor says', async () => {
  const limits = await readFile('docs/limits.md', 'utf8');

  expect(limits).toContain('| 5,000, with a token | 21 | 104 | 29 min | 4.8 h | 24 h |');
});
