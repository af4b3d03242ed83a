import * as z from 'zod';
import { ciLaunchId } from '../../../../core/launch/names.ts';
import type { TestRuntime } from '../../../support/start-test-runtime.ts';

const JobEvent = z.object({
  action: z.string(),
  repository: z.object({ id: z.int() }),
  workflow_job: z.object({ id: z.int(), run_attempt: z.int() }),
});

/**
 * Handles a job's events by davit's old rule, from before it bound jobs to the agents that run them. By that rule a
 * launch belongs to the job that requested it, whatever its agent runs, and ends with that job.
 *
 * @returns whether the rule handled the event; davit itself launches for queued jobs
 */
export async function handleByJobId({ launches }: TestRuntime, payload: unknown): Promise<boolean> {
  const { action, repository, workflow_job: job } = JobEvent.parse(payload);
  if (action === 'completed') {
    const attempt = Math.max(1, job.run_attempt);
    await launches.end(ciLaunchId({ ciSystem: 'gitea', repositoryId: repository.id, jobId: job.id, attempt }));
  }
  return action !== 'queued' && action !== 'waiting';
}
