import type { CiRunner, CiScope, RepositoryName } from '../domain/ci-scope.ts';

/** A runner to be registered. It takes one job and is then forgotten by the CI system. */
export interface NewRunner {
  name: string;
  /** 1 to 100 labels. */
  labels: readonly string[];
  /** The runner group's name. GitHub has groups; other systems ignore it. @default the CI system's default group */
  group?: string;
}

/** A registered runner, and what its agent needs to join with. */
export interface Registration {
  runner: CiRunner;
  /** Environment variables for the agent. Their values are secrets: they go to the agent and nowhere else. */
  environment: Readonly<Record<string, string>>;
}

/** What a job waits for or does. `waiting` jobs are blocked by another job and are no demand yet. */
export type CiJobStatus = 'waiting' | 'queued' | 'in_progress';

/** A job in the CI system's own list. */
export interface CiJob {
  id: number;
  /** Counts from 1: the attempt that an agent would run now, or runs. */
  attempt: number;
  repository: RepositoryName;
  repositoryId: number;
  name: string;
  labels: readonly string[];
  status: CiJobStatus;
  /** The runner that runs the job; absent while nobody does. */
  runner?: CiRunner;
  url: string;
  runId?: number;
  /** The workflow's name, where the list has it. */
  workflow?: string;
  /** The commit that the job builds. */
  sha?: string;
  /** When the job was created; absent where only the first attempt's moment is known. */
  queuedAtEpochMs?: number;
}

/** A webhook that the CI system could not deliver, in any of its attempts. */
export interface FailedDelivery {
  /** Of the latest attempt: what `redeliver` takes. */
  id: number;
  /** The same in every attempt. */
  guid: string;
  event: string;
  /** How many attempts there were, at least 1. */
  attempts: number;
  attemptedAtEpochMs: number;
}

/** The state of one commit as people see it in the CI system. */
export interface CommitStatus {
  sha: string;
  state: 'pending' | 'success';
  /** Tells statuses of one commit apart. */
  context: string;
  /** At most 140 characters. */
  description: string;
  /** An http: or https: URL. */
  targetUrl?: string;
}

/**
 * One CI system, as davit acts in it. Every method may throw TransientError CiUnavailable when the system does not
 * answer, throttles or fails, and TerminalError CiRefused when it refuses: a missing permission, an unknown scope.
 */
export interface CiSystem {
  /**
   * Registers a runner. A lost answer leaves a runner behind: `findRunners` finds it by its name.
   *
   * @throws TransientError WriteConflict when a runner of this name exists, in a system in which names are unique;
   *   TransientError, TerminalError as the port says
   */
  register(scope: CiScope, runner: NewRunner): Promise<Registration>;

  /**
   * Keeps the CI system from handing new jobs to a runner. Repeatable; a runner that is gone is success. A hand-out that
   * is under way may still succeed, so look for a job only after `settleMs`.
   */
  stopAssigning(scope: CiScope, runnerId: number): Promise<void>;

  /** How long after `stopAssigning` a job may still appear on the runner, in milliseconds. */
  readonly settleMs: number;

  /**
   * Removes a runner unless it runs a job.
   *
   * @returns `busy` when it runs one, and is still registered; `removed` also when it was gone
   */
  removeIfIdle(scope: CiScope, runnerId: number): Promise<'removed' | 'busy'>;

  /** Lists the runners of a scope whose names begin with a prefix. */
  findRunners(scope: CiScope, namePrefix: string): Promise<CiRunner[]>;

  /**
   * Lists the jobs of a scope that are not over, oldest first.
   *
   * @param repositories where to look, for a system that cannot list an organisation's jobs in one call
   */
  listJobs(scope: CiScope, statuses: readonly CiJobStatus[], repositories: readonly RepositoryName[]): Promise<CiJob[]>;

  /** Lists deliveries of webhooks that never succeeded; empty for a system that keeps no such list. */
  listFailedDeliveries(): Promise<FailedDelivery[]>;

  /** Has a webhook delivered again. */
  redeliver(deliveryId: number): Promise<void>;

  /** Writes a commit status. The same context of the same commit is overwritten. */
  setCommitStatus(repository: RepositoryName, status: CommitStatus): Promise<void>;
}
