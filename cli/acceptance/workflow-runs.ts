import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { SeenAttempt } from './acceptance-ci.ts';
import { batchOfWorkflow } from './workflow.ts';

/** A run of a workflow. */
export const Run = z.object({ id: z.int(), path: z.string(), status: z.nullish(z.string()) });
type Run = z.infer<typeof Run>;

/** A list of the runs of workflows, as GitHub and Gitea answer it. */
export const Runs = z.object({ workflow_runs: z.array(Run), total_count: z.int() });

/** The fields of a workflow's job that GitHub and Gitea share. */
export const jobFields = {
  id: z.int(),
  status: z.string(),
  conclusion: z.nullish(z.string()),
  runner_id: z.nullish(z.int()),
  created_at: z.nullish(z.string()),
  started_at: z.nullish(z.string()),
  completed_at: z.nullish(z.string()),
};
const Job = z.object(jobFields);

/** A run of a workflow, and the batch whose jobs it has. */
export interface BatchRun extends Run {
  batch: string;
}

/** Picks the runs of batches. */
export function runsOf(runs: readonly Run[], batches: readonly string[]): BatchRun[] {
  return runs
    .map((run) => ({ ...run, batch: batchOfWorkflow(run.path) }))
    .filter(({ batch }) => batches.includes(batch));
}

const statuses = ['queued', 'in_progress', 'completed'] as const;

/** The fields of an attempt that GitHub and Gitea report in different ways. */
interface Told {
  attempt: number;
  queuedAtEpochMs: number | undefined;
  startedAtEpochMs: number | undefined;
}

/** Reads an attempt of a job. A status that davit does not know does not say that the job is over. */
export function attemptOf(job: z.infer<typeof Job>, { id: runId, batch }: BatchRun, told: Told): SeenAttempt {
  const { attempt, ...moments } = told;
  const status = statuses.find((each) => each === job.status) ?? 'waiting';
  const isOver = status === 'completed';
  return {
    batch,
    runId,
    jobId: job.id,
    attempt,
    status,
    ...present({
      conclusion: isOver ? (job.conclusion ?? 'none') : undefined,
      runnerId: job.runner_id || undefined,
      ...moments,
      completedAtEpochMs: isOver ? momentOf(job.completed_at) : undefined,
    }),
  };
}

/** Reads a moment. @returns undefined for none, and for the zero times of 1970 and of the year 1 */
export function momentOf(text: string | null | undefined): number | undefined {
  const epochMs = Date.parse(text ?? '');
  return epochMs > 0 ? epochMs : undefined;
}
