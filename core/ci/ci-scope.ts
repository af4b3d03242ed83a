import * as z from '../zod.ts';

/** A repository as people write it. */
export const RepositoryName = z.object({
  owner: z.string().check(z.minLength(1)),
  name: z.string().check(z.minLength(1)),
});
export type RepositoryName = z.infer<typeof RepositoryName>;

/**
 * The organization of every job of a CI system that has none: its runners are for the jobs of the whole system. No real
 * organization has this name.
 */
export const everyOwner = '*';

/** Where a CI system registers runners and queues jobs: a whole organization, or one repository. */
export const CiScope = z.union([
  z.object({ organization: z.string().check(z.minLength(1)) }),
  z.object({ repository: RepositoryName }),
]);
export type CiScope = z.infer<typeof CiScope>;

/** A runner as the CI system knows it. Names are not unique everywhere, ids are. */
export const CiRunner = z.object({ id: z.int(), name: z.string() });
export type CiRunner = z.infer<typeof CiRunner>;

/** Says whether a repository is in a scope. Owners' and repositories' names ignore case, on every CI system. */
export function isInScope(scope: CiScope, { owner, name }: RepositoryName): boolean {
  if ('organization' in scope) return scope.organization === everyOwner || isSameName(scope.organization, owner);
  return isSameName(scope.repository.owner, owner) && isSameName(scope.repository.name, name);
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Writes a scope as people do: `acme`, `acme/app`. */
export function scopeText(scope: CiScope): string {
  return 'organization' in scope ? scope.organization : repositoryText(scope.repository);
}

/** Writes a repository as people do: `acme/app`. */
export function repositoryText({ owner, name }: RepositoryName): string {
  return `${owner}/${name}`;
}
