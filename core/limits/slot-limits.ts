import { type RepositoryName, repositoryText } from '../ci/ci-scope.ts';
import { isRepositoryOf } from '../ci/repository-glob.ts';
import type { Profile } from '../config/profile.ts';
import type { AgentLimit } from './agent-limit.ts';

/** One limit that counts a launch. */
export interface SlotLimit {
  /** Identifies it in the table: `profile/linux`, `repository/github/acme/app`. */
  key: string;
  /** Whose agents it counts, for people: `acme/app`. */
  of: string;
  maxAgents: number;
}

/** The job that a launch is for, as limits see it. */
export interface LimitedJob {
  ciSystem: string;
  /** Without a name: any repository of the owner, which no repository's limit counts. */
  repository: Pick<RepositoryName, 'owner'> & Partial<RepositoryName>;
}

/**
 * Lists the limits that count a launch, the narrowest first: its repository's, its organization's, and its profile's.
 * If several limits of one kind match, the first in davit.yaml counts.
 *
 * @param job absent for a launch that a caller of the API requests: it counts for its profile alone
 */
export function slotLimitsOf(
  limits: readonly AgentLimit[],
  profile: Pick<Profile, 'name' | 'maxAgents'>,
  job?: LimitedJob,
): SlotLimit[] {
  const found: SlotLimit[] = [];
  if (job !== undefined) {
    const { ciSystem, repository } = job;
    const text = repositoryText({ name: '', ...repository });
    const { owner, name } = withoutGroups(text);
    const ofRepository = limits.find(
      (limit) => name !== '' && 'repositories' in limit && isRepositoryOf(limit.repositories, { owner, name }),
    );
    const ofOwner = limits.find(
      (limit) =>
        'organizations' in limit &&
        isRepositoryOf(
          limit.organizations.map((glob) => `${glob}/*`),
          { owner, name },
        ),
    );
    if (ofRepository) found.push(limitOf(`repository/${ciSystem}/${text}`, text, ofRepository));
    if (ofOwner) found.push(limitOf(`organization/${ciSystem}/${owner}`, owner, ofOwner));
  }
  const { name, maxAgents } = profile;
  if (maxAgents !== undefined) found.push(limitOf(`profile/${name}`, `profile ${name}`, { maxAgents }));
  return found;
}

/**
 * Leaves out the groups between the first one and the project: `acme/app` of `acme/team/app`. No glob could name them, and
 * whoever may make groups could make any number, each with a count of its own.
 */
function withoutGroups(text: string): RepositoryName {
  const names = text.split('/');
  return { owner: names[0] ?? '', name: names.at(-1) ?? '' };
}

/** CI systems ignore the case of owners and repositories. */
function limitOf(key: string, of: string, { maxAgents }: { maxAgents: number }): SlotLimit {
  return { key: key.toLowerCase(), of, maxAgents };
}

/** Says that a limit is reached: `12 of 12 agents of acme/app`. */
export function limitWords({ of, maxAgents }: SlotLimit, held: number): string {
  return `${held} of ${maxAgents} agents of ${of}`;
}
