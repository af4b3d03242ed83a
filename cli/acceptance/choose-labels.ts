import { type RepositoryName, repositoryText } from '../../core/ci/ci-scope.ts';
import { isRepositoryOf } from '../../core/ci/repository-glob.ts';
import type { Profile } from '../../core/config/profile.ts';
import { CliError } from '../cli-error.ts';
import type { AcceptanceSystem } from './open-ci.ts';

/**
 * Chooses the labels that the jobs ask for: the caller's, or otherwise those of the first profile that takes the
 * repository's jobs and registers runners in such a system.
 *
 * @param repository undefined for a system that has none
 * @throws CliError `no-profile`
 */
export function chooseLabels(
  profiles: readonly Profile[],
  { provider, name }: Pick<AcceptanceSystem, 'provider' | 'name'>,
  repository: RepositoryName | undefined,
  given: readonly string[],
): readonly string[] {
  if (given.length > 0) return given;
  const takes = ({ repositories = ['*/*'] }: Profile) =>
    repository === undefined || isRepositoryOf(repositories, repository);
  const found = profiles.find((profile) => profile.runner === provider && takes(profile));
  if (found !== undefined) return found.labels;
  const whose = repository === undefined ? '' : ` for ${repositoryText(repository)}`;
  const message = `no profile of davit.yaml registers runners in ${name}${whose}`;
  throw new CliError('usage', 'no-profile', message, 'Add one, or name the labels of its jobs: --label LABEL.');
}
