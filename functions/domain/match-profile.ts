import type { Profile } from './config.ts';

/**
 * Finds the profile that takes a job: the first in the file whose labels include all of the job's, whatever their case.
 * A job without labels is addressed to a group of runners and not to labels, and no profile takes it.
 *
 * @see https://docs.github.com/en/actions/hosting-your-own-runners/managing-self-hosted-runners/using-self-hosted-runners-in-a-workflow
 */
export function matchProfile(profiles: readonly Profile[], jobLabels: readonly string[]): Profile | undefined {
  if (jobLabels.length === 0) return undefined;
  const wanted = jobLabels.map((label) => label.toLowerCase());
  return profiles.find(({ labels }) => {
    const offered = new Set(labels.map((label) => label.toLowerCase()));
    return wanted.every((label) => offered.has(label));
  });
}
