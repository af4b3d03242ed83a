import { repositoryText } from '../ci/ci-scope.ts';
import { EpochMs } from '../epoch-ms.ts';
import { shorten } from '../well-formed.ts';
import * as z from '../zod.ts';
import type { SeenJob } from './job-record.ts';

/**
 * The fields by which people recognise a job, in records, events and annotations. Texts are truncated, so that it stays
 * small.
 */
export const JobSummary = z.object({
  name: z.string(),
  /** `acme/app`; absent for a sender that names none. */
  repository: z.optional(z.string()),
  workflow: z.optional(z.string()),
  /** The workflow's run. */
  runId: z.optional(z.int()),
  /** Counts from 1. */
  attempt: z.int().check(z.gte(1)),
  /** The CI system's own times, as far as it sends them. */
  queuedAtEpochMs: z.optional(EpochMs),
  startedAtEpochMs: z.optional(EpochMs),
});
export type JobSummary = z.infer<typeof JobSummary>;

/** The name of the repository in a job whose sender names none. */
const nobody = '-';

/** The longest of a job's texts, in characters. */
const mostCharacters = 200;

/** Sums up a job. */
export function summarize(job: SeenJob): JobSummary {
  const { name, repository, workflow, runId, attempt, queuedAtEpochMs, startedAtEpochMs } = job;
  return {
    name: shorten(name, mostCharacters),
    ...(repository.name === nobody ? {} : { repository: shorten(repositoryText(repository), mostCharacters) }),
    ...(workflow === undefined ? {} : { workflow: shorten(workflow, mostCharacters) }),
    ...(runId === undefined ? {} : { runId }),
    attempt,
    ...(queuedAtEpochMs === undefined ? {} : { queuedAtEpochMs }),
    ...(startedAtEpochMs === undefined ? {} : { startedAtEpochMs }),
  };
}
