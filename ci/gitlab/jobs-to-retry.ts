import type { FailedJob } from '../../ports/ci-system.ts';
import { isOver, type PipelineJob } from './answers.ts';

/**
 * Chooses the failed jobs of a pipeline to run once more. A retry makes another job of the same name, so a job that has a
 * namesake was run again, or is itself the second run.
 *
 * @param jobs all jobs of the pipeline, with those that were retried
 * @returns `running` while one of the wanted jobs is not over
 */
export function jobsToRetry(jobs: readonly PipelineJob[], wanted: readonly FailedJob[]): 'running' | number[] {
  const ids = new Set(wanted.map(({ id }) => id));
  const asked = jobs.filter(({ id }) => ids.has(id));
  if (asked.some(({ status }) => !isOver(status))) return 'running';
  return asked
    .filter(({ id, name, status }) => {
      return status === 'failed' && !jobs.some((other) => other.id !== id && other.name === name);
    })
    .map(({ id }) => id);
}
