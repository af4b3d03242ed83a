import type { CiSystemConfig } from '../ci/ci-system-config.ts';
import { present } from '../present.ts';
import { shorten } from '../well-formed.ts';
import { readLabels } from './job-labels.ts';
import { longestJobText, type ReadJob, type SeenJob } from './job-record.ts';

/** A job as davit stores it; or why davit stores nothing of the job. */
export type JobReading = { job: SeenJob; reason?: never } | { job?: never; reason: string };

/**
 * Bounds what a job's author chose, in an event and in a list alike: shortens its texts, and refuses more or longer labels than
 * davit stores. No agent of davit's could run such a job.
 */
export function seenJobOf(
  { name: ciSystem, provider }: Pick<CiSystemConfig, 'name' | 'provider'>,
  job: ReadJob,
): JobReading {
  const { labels, reason } = readLabels(provider, job.labels);
  if (labels === undefined) return { reason };
  const { workflow, sha, conclusion, runner } = job;
  return {
    job: present({
      ...job,
      ciSystem,
      labels,
      name: shortened(job.name),
      workflow: workflow && shortened(workflow),
      sha: sha && shortened(sha),
      conclusion: conclusion && shortened(conclusion),
      runner: runner && { ...runner, name: shortened(runner.name) },
    }),
  };
}

function shortened(text: string): string {
  return shorten(text, longestJobText);
}
