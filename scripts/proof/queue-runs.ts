import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** One seed of jobs on a real Gitea, and their outcomes. */
export const QueueRun = z.object({
  /** The cluster in which the agents ran. */
  cluster: z.enum(['sandbox', 'kubernetes']),
  seed: z.int(),
  takenAt: z.iso.datetime(),
  jobs: z.int(),
  /** Jobs that a concurrency group cancelled, in the queue or in the middle. */
  cancelled: z.int(),
  /** Jobs that ran on another job's agent. */
  crossed: z.int(),
  agents: z.int(),
  /** Agents besides the first of a job's attempt. */
  replacements: z.int(),
  /** From the first commit until the last job had ended. */
  tookSeconds: z.int(),
  /** The judge's findings, such as `endedMidway: davit-gitea-1-2-1`. */
  problems: z.array(z.string()),
});
export type QueueRun = z.infer<typeof QueueRun>;

/** The file with the recorded runs. */
export const queueRunsFile = new URL('queue-runs.json', import.meta.url);

/** Reads the recorded runs. @throws ZodError for a file of another kind */
export function readQueueRuns(): QueueRun[] {
  return z.array(QueueRun).parse(JSON.parse(readFileSync(queueRunsFile, 'utf8')));
}
