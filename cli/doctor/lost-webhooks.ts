import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { listsInRound } from '../../core/ci/lists-in-turns.ts';
import { defaultRateLimitShare } from '../../core/ci/rate-budget.ts';
import type { Profile } from '../../core/config/profile.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import { reconcileIntervalMinutes } from '../../runtime/function-settings.ts';
import { durationWords } from '../view/duration.ts';
import { type Finding, ok } from './finding.ts';

/** What a list of a repository's jobs costs on GitHub, in requests: its runs by three statuses. */
const requestsOfList = 3;

/** The numbers of repositories for which the doctor says a time. */
const sizes = [100, 1000, 5000] as const;

/** Says within which time davit finds a webhook that did not arrive, by the configuration and the rate limit. */
export function sayLostWebhooks(
  about: string,
  system: CiSystemConfig,
  profiles: readonly Profile[],
  ci: Pick<CiSystem, 'usage' | 'listsJobsOf'>,
): Finding {
  const round = durationWords(reconcileIntervalMinutes * 60_000);
  if ('app' in system && system.app !== undefined) {
    return ok(about, `one that is lost is found within ${round}, in the App's list of deliveries, and delivered again`);
  }
  const inOrganizations = profiles.some(({ runner, scope }) => runner === system.provider && scope === 'organization');
  if (inOrganizations && ci.listsJobsOf === 'organization') {
    return ok(about, `one that is lost is found within ${round}: davit lists the jobs of each organization that often`);
  }
  const { limit } = ci.usage();
  const repositories = 'of a repository that has sent another one within a day';
  if (limit === undefined) {
    return ok(about, `one that is lost, ${repositories}, is found when its repository has its turn (docs/limits.md)`);
  }
  const share = ('rateLimitShare' in system ? system.rateLimitShare : undefined) ?? defaultRateLimitShare;
  const lists = listsInRound({ limit: limit.requests, share, requestsOfList, hasDeliveries: false });
  const times = sizes.map((size) => {
    const rounds = Math.ceil(size / lists);
    return `${durationWords(rounds * reconcileIntervalMinutes * 60_000)} with ${size.toLocaleString('en')} repositories`;
  });
  const budget = `${share} of ${limit.requests.toLocaleString('en')} requests an hour`;
  const remedy = system.provider === 'github' ? `; a GitHub App finds it within ${round}` : '';
  return ok(about, `one that is lost, ${repositories}, is found within ${times.join(', ')} (${budget})${remedy}`);
}
