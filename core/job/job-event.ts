import type { CiSystemName } from '../ci/ci-system-config.ts';
import { ciLaunchId, type LaunchId } from '../launch/names.ts';

/** The state of a job: it waits for another job or an approval, it can run, it runs, it is over. */
export type JobAction = 'waiting' | 'queued' | 'in_progress' | 'completed';

/** The repository of a job; all its fields are `-` for a sender that names none. */
export interface JobRepository {
  id: number | string;
  owner: string;
  name: string;
}

/** One attempt to run a job, from an event. */
export interface Job {
  id: number | string;
  /** Counts from 1, and is the same in all events of one attempt. */
  attempt: number;
  runId?: number;
  name: string;
  /** The name of the workflow. */
  workflow?: string;
  labels: readonly string[];
  /** The commit. */
  sha?: string;
  /** Where people see the job: an http: or https: URL. */
  url?: string;
  conclusion?: string;
  createdAtEpochMs?: number;
  startedAtEpochMs?: number;
  completedAtEpochMs?: number;
  /** The runner that runs or ran it; absent before any runner does. */
  runner?: { id: number; name: string };
}

/** An event of a job, in the same form for every CI system. */
export interface JobEvent {
  action: JobAction;
  repository: JobRepository;
  /** Absent for a person's repository. */
  organization?: string;
  job: Job;
}

/** Makes the id of the launch for one attempt of a job. */
export function launchIdOf(
  ciSystem: CiSystemName,
  { repository, job }: Pick<JobEvent, 'repository' | 'job'>,
): LaunchId {
  return ciLaunchId({ ciSystem, repositoryId: repository.id, jobId: job.id, attempt: job.attempt });
}
