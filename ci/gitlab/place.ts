import { type CiScope, everyOwner, type RepositoryName, repositoryText } from '../../core/ci/ci-scope.ts';
import { TerminalError } from '../../core/errors/errors.ts';

/** A group or a project, by its path. */
export type GitlabPlace = { group: string } | { project: string };

/** Finds the place of a scope. @param own the configured one, which is the place of the whole CI system */
export function placeOf(scope: CiScope, own: GitlabPlace): GitlabPlace {
  if ('repository' in scope) return { project: repositoryText(scope.repository) };
  return scope.organization === everyOwner ? own : { group: scope.organization };
}

/** Builds the API path of a place: `/groups/acme%2Ftools`. */
export function pathOf(place: GitlabPlace): string {
  return 'group' in place
    ? `/groups/${encodeURIComponent(place.group)}`
    : `/projects/${encodeURIComponent(place.project)}`;
}

/** Says whether a project is in a place. */
export function isIn(place: GitlabPlace, repository: RepositoryName): boolean {
  return isWithin(place, { project: repositoryText(repository) });
}

/** Says whether a place is another one, or in it. GitLab ignores the case of paths. */
export function isWithin(place: GitlabPlace, inner: GitlabPlace): boolean {
  const [outside, inside] = [lowerPathOf(place), lowerPathOf(inner)];
  return outside === inside || ('group' in place && inside.startsWith(`${outside}/`));
}

function lowerPathOf(place: GitlabPlace): string {
  return ('group' in place ? place.group : place.project).toLowerCase();
}

/**
 * Reads the path of a project from the URL of one of its jobs. The owner is the group, with the groups above it.
 *
 * @throws TerminalError CiRefused for a job of another URL
 */
export function repositoryOf(webUrl: string, url: string): RepositoryName {
  const path = webUrl.startsWith(`${url}/`) ? webUrl.slice(url.length + 1) : '';
  const [, owner, name] = /^(.+)\/([^/]+)\/-\/jobs\/\d+$/.exec(path) ?? [];
  if (owner === undefined || name === undefined) {
    throw new TerminalError(
      'CiRefused',
      `${webUrl} is no job below ${url}: is external_url of this GitLab its url here?`,
    );
  }
  return { owner, name };
}
