import * as z from '../zod.ts';

/** A system's own id. A sender of Standard Webhooks may have text. */
const CiId = z.union([z.int(), z.string().check(z.minLength(1))]);

/** The identity of one attempt of one job. A re-run is another attempt, or another job. */
export const JobId = z.object({
  /** The CI system's configured name. */
  ciSystem: z.string().check(z.minLength(1)),
  repositoryId: CiId,
  jobId: CiId,
  /** Counts from 1. */
  attempt: z.int().check(z.gte(1)),
});
export type JobId = z.infer<typeof JobId>;

/** Orders the jobs of a system whose ids are numbers: oldest first. */
export function byJobId(one: Pick<JobId, 'jobId'>, other: Pick<JobId, 'jobId'>): number {
  return Number(one.jobId) - Number(other.jobId);
}

/** Reads the CI system's own id of a job from its key, as text. */
export function ownIdIn(jobKey: string): string {
  return decodeURIComponent(jobKey.split('/')[2] ?? '');
}

/** Writes a job's id as one text: `gitea/12/345/1`. Two jobs never share it: a slash in an id is escaped. */
export function jobKeyOf({ ciSystem, repositoryId, jobId, attempt }: JobId): string {
  return [ciSystem, repositoryId, jobId, attempt].map(encodeURIComponent).join('/');
}
