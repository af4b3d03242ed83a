import { type AgentSize, sizeLabelsOf } from '../agent/agent-size.ts';
import type { Profile } from '../config/config.ts';
import type { SeenJob } from '../job/job-record.ts';
import type { CiScope } from './ci-scope.ts';
import type { CiSystemConfig } from './ci-system-config.ts';
import { ciCredentialSecrets, isPinned, profilesOf } from './ci-systems.ts';
import type { Join } from './join.ts';
import { isWarmIn } from './warm-scopes.ts';

/** Says whether davit acts in a CI system, or only reads its webhooks. */
export function actsIn(system: CiSystemConfig): boolean {
  return ciCredentialSecrets(system).length > 0;
}

/**
 * Says how an agent of a profile joins its CI system for a job: in the job's organization, or in its repository if the
 * profile says so or there is no organization.
 *
 * @param size what the job asks for
 * @returns undefined for an agent that davit does not register
 */
export function joinOf(
  system: CiSystemConfig,
  profile: Profile,
  { repository, organization, jobId }: Pick<SeenJob, 'repository' | 'organization' | 'jobId'>,
  size: AgentSize = {},
): Join | undefined {
  const isShared = profile.scope === 'organization' && organization !== undefined;
  const join = joinIn(system, profile, isShared ? { organization } : { repository }, size);
  return join !== undefined && isPinned(system) ? { ...join, pinnedTo: `${jobId}` } : join;
}

/**
 * Says how an agent of a profile joins its CI system in an organization or a repository.
 *
 * @param size a label each, so that the CI system gives a job to no smaller agent
 * @returns undefined for an agent that davit does not register
 */
export function joinIn(
  system: CiSystemConfig,
  profile: Profile,
  scope: CiScope,
  size: AgentSize = {},
): Join | undefined {
  if (profile.runner !== system.provider || !actsIn(system)) return undefined;
  if (profilesOf(system, [profile]).length === 0) return undefined;
  const { runnerGroup, repositories, labels, idleSeconds, rerunWhenLost } = profile;
  const sizeLabels = sizeLabelsOf(size);
  // Agents of a size are pools of their own, which have no warm agents. An agent that is pinned to a job is good for no other.
  const standsBy = sizeLabels.length === 0 && !isPinned(system) && isWarmIn(profile, system, scope);
  return {
    ciSystem: system.name,
    scope,
    ...(runnerGroup === undefined ? {} : { runnerGroup, ...(repositories === undefined ? {} : { repositories }) }),
    labels: [...labels, ...sizeLabels],
    idleSeconds,
    ...(standsBy ? { standsBy } : {}),
    ...(rerunWhenLost ? { rerunWhenLost } : {}),
  };
}
