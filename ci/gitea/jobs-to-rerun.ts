import type { FailedJob } from '../../ports/ci-system.ts';

/** The latest attempt of a job, as Gitea lists the jobs of a run. */
export interface RunJob extends FailedJob {
  status: string;
  conclusion?: string | null | undefined;
}

/**
 * Chooses which lost jobs of a run Gitea is asked to run again: those without a later attempt.
 *
 * @param jobs all jobs of the run
 * @returns 'running' while the run goes on: until then Gitea runs no job again
 */
export function jobsToRerun(jobs: readonly RunJob[], lost: readonly FailedJob[]): 'running' | number[] {
  const attempts = new Map(lost.map(({ id, attempt }) => [id, attempt]));
  const latest = jobs.filter(({ id, attempt }) => attempt <= (attempts.get(id) ?? 0));
  if (latest.length === 0) return [];
  if (jobs.some(({ status }) => status !== 'completed')) return 'running';
  return latest.filter(({ conclusion }) => conclusion === 'failure').map(({ id }) => id);
}
