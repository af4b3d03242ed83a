import type { CiScope } from './ci-scope.ts';
import { type CiSystemConfig, ciCredentialSecrets } from './ci-system-config.ts';
import type { Profile } from './config.ts';
import type { SeenJob } from './job-record.ts';
import type { Join } from './join.ts';

/** Says whether davit acts in a CI system, or only reads its webhooks. */
export function actsIn(system: CiSystemConfig): boolean {
  return ciCredentialSecrets(system).length > 0;
}

/**
 * Says how an agent of a profile joins its CI system for a job: in the job's organisation, or in its repository where the
 * profile says so, and where there is no organisation.
 *
 * @returns undefined for an agent that davit does not register
 */
export function joinOf(
  system: CiSystemConfig,
  profile: Profile,
  { repository, organization }: Pick<SeenJob, 'repository' | 'organization'>,
): Join | undefined {
  if (profile.runner !== system.provider || !actsIn(system)) return undefined;
  const scope: CiScope =
    profile.scope === 'organization' && organization !== undefined ? { organization } : { repository };
  const { runnerGroup, labels, idleSeconds } = profile;
  return { ciSystem: system.name, scope, ...(runnerGroup === undefined ? {} : { runnerGroup }), labels, idleSeconds };
}
