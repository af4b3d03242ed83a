import type { CiWebhook } from '../../ports/ci-inspection.ts';

/** Jobs that are started together. */
export interface Batch {
  /** Names them in the acceptance: `matrix`, `next-cancel-running`. */
  name: string;
  /** Batches of one group may cancel each other. */
  group: string;
  /** What the jobs ask for. */
  labels: readonly string[];
  /** From 1 to 256, GitHub's most for a matrix. */
  jobs: number;
  /** How long each job's only step takes. */
  seconds: number;
}

/** An attempt of a job, as its CI system shows it at one moment. */
export interface SeenAttempt {
  batch: string;
  /** What is run again together. */
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

/** A webhook of the repository itself. */
export interface RepositoryWebhook extends Pick<CiWebhook, 'url' | 'isActive' | 'sendsJobs'> {
  id: number;
  /** What a change of it would lose; undefined when it loses nothing. */
  loses?: string;
}

/** The webhooks of the acceptance's repository. Throws as `AcceptanceCi`. */
export interface RepositoryWebhooks {
  /** Lists those of the repository alone: an organization's and an App's are not among them. */
  list: () => Promise<RepositoryWebhook[]>;
  /**
   * Turns a webhook on or off. It keeps its URL, its events and its secret.
   *
   * @param secret that it has now: a GitHub takes it away from a change that does not repeat it
   */
  setActive: (id: number, isActive: boolean, secret: string) => Promise<void>;
}

/**
 * What the acceptance does in a CI system, in a place of its own: a branch of a repository, or a prefix of Jenkins' jobs.
 *
 * Every function throws TransientError CiUnavailable when the system does not answer, and TerminalError CiRefused when it
 * refuses.
 */
export interface AcceptanceCi {
  /** The pause between two readings of a list, in milliseconds. */
  pauseMs: number;
  /** Whether an agent may get another job before davit ends it: then each scenario begins without agents. @default false */
  agentsOutliveJobs?: boolean;
  /** What the acceptance makes, for the question to the person: `commit workflows to …`. */
  makes: string;
  /** What stays if `close` fails, and what to do about it. */
  leaves: string;
  /** The system and its version, for the report: `Gitea 1.26.0`. */
  readVersion: () => Promise<string>;
  /** Makes the place. */
  open: () => Promise<void>;
  /** Removes the place, and everything in it. A place that is gone is success. */
  close: () => Promise<void>;
  start: (batch: Batch) => Promise<void>;
  /** Lists every attempt of the jobs in these batches, as far as the system still shows it. */
  listAttempts: (batches: readonly string[]) => Promise<SeenAttempt[]>;
  /**
   * Cancels a batch's jobs that go on. Absent for a system whose API cannot: there a later batch of the same group cancels
   * them.
   */
  cancel?: (batch: string) => Promise<void>;
  /** Runs all jobs of a run again. */
  rerun: (runId: number) => Promise<void>;
  /** Absent for a system that sends no webhooks. */
  webhooks?: RepositoryWebhooks;
}

/** A branch of an acceptance in a repository. */
export interface AcceptanceBranch {
  repository: { owner: string; name: string };
  branch: string;
}
