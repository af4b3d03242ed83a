import type { CiScope, RepositoryName } from '../../domain/ci-scope.ts';

/** Writes where an API has a scope: `/orgs/acme`, `/repos/acme/app`. GitHub and Gitea have the same paths. */
export function scopePath(scope: CiScope): string {
  return 'organization' in scope ? `/orgs/${encodeURIComponent(scope.organization)}` : repositoryPath(scope.repository);
}

/** Writes where an API has a repository: `/repos/acme/app`. */
export function repositoryPath({ owner, name }: RepositoryName): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}
