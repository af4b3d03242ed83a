import type { CiScope, RepositoryName } from '../core/ci/ci-scope.ts';

/** Builds the API path of a scope: `/orgs/acme`, `/repos/acme/app`. GitHub and Gitea have the same paths. */
export function scopePath(scope: CiScope): string {
  return 'organization' in scope ? `/orgs/${encodeURIComponent(scope.organization)}` : repositoryPath(scope.repository);
}

/** Builds the API path of a repository: `/repos/acme/app`. */
export function repositoryPath({ owner, name }: RepositoryName): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}
