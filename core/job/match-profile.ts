import { type AgentSize, isSizeLabel, readSize } from '../agent/agent-size.ts';
import { askedLabels, type EventSource, profilesOf } from '../ci/ci-systems.ts';
import { isRepositoryOf } from '../ci/repository-glob.ts';
import type { Profile } from '../config/config.ts';
import { shorten } from '../well-formed.ts';
import type { SeenJob } from './job-record.ts';

/** Why no profile takes a job: its labels, its repository, or the size that it asks for. */
export type Refusal = 'NoProfile' | 'Repository' | 'Size';

/** The profile that refuses a job whose labels it has, and the label of the size that it does not allow. */
export interface RefusedBy {
  profile: string;
  label?: string;
}

/**
 * The profile that takes a job, with the size that the job asks for; or the reason why no profile takes it, with the
 * profile that refuses it.
 */
export type ProfileMatch =
  | { profile: Profile; size?: AgentSize; reason?: never; refusal?: never; refusedBy?: never }
  | { profile?: never; size?: never; reason: string; refusal: 'NoProfile'; refusedBy?: never }
  | { profile?: never; size?: never; reason: string; refusal: Exclude<Refusal, 'NoProfile'>; refusedBy: RefusedBy };

/**
 * Finds the profile that takes a job: the first in the file whose labels are those that the job asks for, and that takes
 * jobs of its CI system (of a scale set's queue, its own profile alone), its repository and its size. Labels match as the CI system matches them. Labels that begin with
 * `davit/` ask for a size and for nothing else. A job without labels names only a runner group, and no profile takes it.
 *
 * @see https://docs.github.com/en/actions/hosting-your-own-runners/managing-self-hosted-runners/using-self-hosted-runners-in-a-workflow
 */
export function matchProfile(
  profiles: readonly Profile[],
  system: EventSource,
  { labels, repository }: Pick<SeenJob, 'repository'> & { labels: readonly string[] },
): ProfileMatch {
  const { provider } = system;
  if (labels.length === 0) return { reason: 'the job has no labels', refusal: 'NoProfile' };
  const asked = askedLabels(provider, labels);
  const sizeLabels = [...new Set(asked.labels)].filter((label) => isSizeLabel(provider, label));
  // An agent is registered with the labels of its size, too.
  const able = profilesOf(system, profiles).filter(
    (profile) =>
      asked.isMetBy(new Set([...profile.labels, ...sizeLabels])) && (profile.runner ?? provider) === provider,
  );
  const open = able.filter(
    ({ repositories }) => repositories === undefined || isRepositoryOf(repositories, repository),
  );
  for (const profile of open) {
    const { size } = readSize(profile, provider, sizeLabels);
    if (size !== undefined) return sizeLabels.length === 0 ? { profile } : { profile, size };
  }
  // If several profiles refuse a size, the reason of one that allows sizes says more.
  const refusing = open.find(({ sizes }) => sizes !== undefined) ?? open[0];
  const reading = refusing && readSize(refusing, provider, sizeLabels);
  if (refusing !== undefined && reading?.reason !== undefined) {
    const { reason, label } = reading;
    return { reason, refusal: 'Size', refusedBy: { profile: refusing.name, label } };
  }
  const [first] = able;
  return first === undefined
    ? { reason: `no profile has all of the job's labels: ${shorten(labels.join(', '), 500)}`, refusal: 'NoProfile' }
    : {
        reason: `profile ${first.name} takes no jobs of ${repository.owner}/${repository.name}`,
        refusal: 'Repository',
        refusedBy: { profile: first.name },
      };
}
