/** An attempt of a job, as its CI system shows it at one moment. */
export interface SeenAttempt {
  /** The file of its workflow, without its folder: `matrix.yaml`. */
  file: string;
  runId: number;
  jobId: number;
  /** Counts from 1. */
  attempt: number;
  status: 'waiting' | 'queued' | 'in_progress' | 'completed';
  /** Absent until the attempt is completed. */
  conclusion?: string;
  /** The CI system's id of the runner; absent before one has the job, and on a Gitea after the runner is gone. */
  runnerId?: number;
  /** Absent where the system keeps no such moment: a Gitea forgets when a re-run was queued. */
  queuedAtEpochMs?: number;
  startedAtEpochMs?: number;
  completedAtEpochMs?: number;
}

/**
 * What the acceptance does in a CI system, on a branch of its own in one repository.
 *
 * Every function throws TransientError CiUnavailable when the system does not answer, and TerminalError CiRefused when it
 * refuses.
 */
export interface AcceptanceCi {
  /** Where a repository has its workflows: `.github/workflows`. */
  folder: string;
  /** The pause between two readings of a list, in milliseconds. */
  pauseMs: number;
  /** The system and its version, for the report: `Gitea 1.26.0`. */
  readVersion: () => Promise<string>;
  /** Makes the branch, at the head of the repository's default branch. */
  createBranch: () => Promise<void>;
  /** Deletes the branch, and with it every file that was committed to it. A branch that is gone is success. */
  deleteBranch: () => Promise<void>;
  /** Commits a workflow to the branch. Its jobs start when it names its own path. */
  commitWorkflow: (file: string, content: string) => Promise<void>;
  /** Lists every attempt of the jobs in the branch's runs of these workflows, as far as the system still shows it. */
  listAttempts: (files: readonly string[]) => Promise<SeenAttempt[]>;
  /**
   * Cancels a workflow's runs that go on. Absent for a system whose API cannot: there a later run of the same concurrency
   * group cancels them.
   */
  cancel?: (file: string) => Promise<void>;
  /** Runs all jobs of a run again. */
  rerun: (runId: number) => Promise<void>;
}

/** The place of an acceptance in its CI system. */
export interface AcceptancePlace {
  repository: { owner: string; name: string };
  branch: string;
}
