import { repositoryText } from '../ci/ci-scope.ts';
import type { LaunchRecord } from './launch-record.ts';

/** The launches that a list shows. An absent field excludes nothing. */
export interface LaunchFilter {
  /** Requested at this moment or later. */
  sinceEpochMs?: number;
  /** Requested at this moment or earlier. */
  untilEpochMs?: number;
  profile?: string;
  cluster?: string;
  /**
   * `owner/name`, ignoring case. Matches the repository of the launch's job or of the job that its agent runs, the
   * repository that the agent joined for, or that of the launch's source URL.
   */
  repository?: string;
}

/** Says whether a list shows a launch. */
export function isShown(filter: LaunchFilter, record: LaunchRecord): boolean {
  const { plan, requestedAtEpochMs } = record;
  const { sinceEpochMs = 0, untilEpochMs = Number.MAX_SAFE_INTEGER, profile, cluster, repository } = filter;
  return (
    requestedAtEpochMs >= sinceEpochMs &&
    requestedAtEpochMs <= untilEpochMs &&
    (profile === undefined || plan?.profile === profile) &&
    (cluster === undefined || plan?.cluster === cluster) &&
    (repository === undefined || isOfRepository(record, repository.toLowerCase()))
  );
}

function isOfRepository({ plan, runs }: LaunchRecord, repository: string): boolean {
  const { job, join, sourceUrl } = plan ?? {};
  const joined = join !== undefined && 'repository' in join.scope ? repositoryText(join.scope.repository) : undefined;
  return (
    [job?.repository, runs?.job?.repository, joined].some((each) => each?.toLowerCase() === repository) ||
    (sourceUrl !== undefined && `${pathOf(sourceUrl)}/`.includes(`/${repository}/`))
  );
}

function pathOf(url: string): string {
  return new URL(url).pathname.toLowerCase();
}
