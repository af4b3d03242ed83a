import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { readLabels } from '../../core/job/job-labels.ts';
import { longestJobText, type SeenJob } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import { shorten } from '../../core/well-formed.ts';
import type { CiJob, CiJobId } from '../../ports/ci-system.ts';

/**
 * Reads a job of a CI system's list.
 *
 * @returns undefined for a job with more or longer labels than davit stores: no agent of davit's can run it
 */
export function readListedJob(
  { name: ciSystem, provider }: Pick<CiSystemConfig, 'name' | 'provider'>,
  job: CiJob<CiJobId>,
  organization: string | undefined,
): SeenJob | undefined {
  const {
    id: jobId,
    attempt,
    repository,
    repositoryId,
    status,
    runner,
    url,
    runId,
    workflow,
    sha,
    queuedAtEpochMs,
  } = job;
  const { labels } = readLabels(provider, job.labels);
  if (labels === undefined) return undefined;
  return {
    ciSystem,
    repositoryId,
    jobId,
    attempt,
    status,
    repository,
    name: shorten(job.name, longestJobText),
    labels,
    ...present({ organization, runner, url: url === '' ? undefined : url, runId, sha, queuedAtEpochMs }),
    ...present({ workflow: workflow === undefined ? undefined : shorten(workflow, longestJobText) }),
  };
}
