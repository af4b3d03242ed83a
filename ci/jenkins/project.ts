import type { RepositoryName } from '../../core/ci/ci-scope.ts';
import { idOf } from '../id-of-name.ts';

/** A job of Jenkins, by its place in the tree of folders. */
export interface Project {
  /** Its full name: `team/app/main`. */
  fullName: string;
  /** Its top folder and what is in it: `team/app` of `team/app/main`; `-/app` for a job in no folder. */
  repository: RepositoryName;
  /** The same for each job of the repository. */
  repositoryId: number;
  /** The number of the build, if the URL is a build's. */
  build?: number;
}

/** The path of a job or a build. A combination of a multi-configuration project follows its job: `os=linux,arch=arm`. */
const projectPattern = /((?:\/job\/[^/]+)+)\/(?:([^/]+=[^/]*)\/)?(?:(\d+)\/)?$/;

/**
 * Reads the project from the URL of a job or a build: `…/job/team/job/app/job/main/12/`. A multibranch project of an
 * organization folder is the repository of its branches.
 *
 * @returns undefined for the URL of anything else
 */
export function projectOf(url: string): Project | undefined {
  const [, jobs = '', combination, build] = projectPattern.exec(URL.parse(url)?.pathname ?? '') ?? [];
  const names = jobs.split('/job/').slice(1).map(decoded);
  const [first, second] = names;
  if (first === undefined) return undefined;
  const repository = second === undefined ? { owner: '-', name: first } : { owner: first, name: second };
  const repositoryId = idOf(`${repository.owner}/${repository.name}`);
  return {
    fullName: [...names, ...(combination === undefined ? [] : [decoded(combination)])].join('/'),
    repository,
    repositoryId,
    ...(build === undefined ? {} : { build: Number(build) }),
  };
}

/**
 * Finds the path of a job or a build in Jenkins, whatever the URL has before it: Jenkins may be wrong about its own
 * address, and some of its URLs are relative.
 *
 * @returns `/job/app/12`, without a slash at its end; empty for the URL of anything else
 */
export function pathInJenkins(url: string): string {
  const [, path] = /(?:^|\/)(job\/.*?)\/?$/.exec(url) ?? [];
  return path === undefined ? '' : `/${path}`;
}

/** Decodes a name of a URL. One that Jenkins did not encode well stays as it is: it must not hide the other jobs. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return name;
    throw error;
  }
}
