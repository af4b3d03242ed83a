import { type CiProvider, comparableLabel } from './ci-system-config.ts';
import type { Profile } from './config.ts';
import type { JobEvent } from './job-event.ts';
import { isRepositoryOf } from './repository-globs.ts';

/** The profile that takes a job, or why none does. */
export type ProfileMatch = { profile: Profile; reason?: never } | { profile?: never; reason: string };

/**
 * Finds the profile that takes a job: the first in the file whose labels include all of the job's, and that takes jobs of
 * its CI system and its repository. Labels match as the CI system matches them. A job without labels is addressed to a
 * group of runners and not to labels, and no profile takes it.
 *
 * @see https://docs.github.com/en/actions/hosting-your-own-runners/managing-self-hosted-runners/using-self-hosted-runners-in-a-workflow
 */
export function matchProfile(
  profiles: readonly Profile[],
  provider: CiProvider,
  { job: { labels }, repository }: Pick<JobEvent, 'job' | 'repository'>,
): ProfileMatch {
  if (labels.length === 0) return { reason: 'the job has no labels' };
  const able = profiles.filter(
    (profile) => hasLabels(profile, provider, labels) && (profile.runner ?? provider) === provider,
  );
  const profile = able.find(
    ({ repositories }) => repositories === undefined || isRepositoryOf(repositories, repository),
  );
  if (profile !== undefined) return { profile };
  const [first] = able;
  return {
    reason:
      first === undefined
        ? `no profile has all of the job's labels: ${labels.join(', ')}`
        : `profile ${first.name} takes no jobs of ${repository.owner}/${repository.name}`,
  };
}

function hasLabels(profile: Profile, provider: CiProvider, wanted: readonly string[]): boolean {
  const offered = new Set(profile.labels.map((label) => comparableLabel(provider, label)));
  return wanted.every((label) => offered.has(comparableLabel(provider, label)));
}
