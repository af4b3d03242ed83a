import type { RepositoryName } from '../../core/ci/ci-scope.ts';
import { isRepositoryOf } from '../../core/ci/repository-glob.ts';
import type { Profile } from '../../core/config/profile.ts';
import { CliError } from '../cli-error.ts';
import type { WorkflowSystem } from './open-ci.ts';

/**
 * Chooses the labels that the jobs ask for: the caller's, or otherwise those of the first profile that takes the
 * repository's jobs and registers runners in such a system.
 *
 * @throws CliError `no-profile`
 */
export function chooseLabels(
  profiles: readonly Profile[],
  { provider, name }: Pick<WorkflowSystem, 'provider' | 'name'>,
  repository: RepositoryName,
  given: readonly string[],
): readonly string[] {
  if (given.length > 0) return given;
  const found = profiles.find(
    (profile) => profile.runner === provider && isRepositoryOf(profile.repositories ?? ['*/*'], repository),
  );
  if (found !== undefined) return found.labels;
  const message = `no profile of davit.yaml registers runners in ${name} for ${repository.owner}/${repository.name}`;
  throw new CliError('usage', 'no-profile', message, 'Add one, or name the labels of its jobs: --label LABEL.');
}
