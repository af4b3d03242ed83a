import type { CiRunner, CiScope, RepositoryName } from '../core/ci/ci-scope.ts';
import type { DeliveryAttempt } from '../core/ci/failing-delivery.ts';
import type { JobStatus, ReadJob } from '../core/job/job-record.ts';
import type { JobQueue } from './job-queue.ts';

/** A runner to register. It takes one job, and then the CI system forgets it. */
export interface NewRunner {
  name: string;
  /** 1 to 100 labels. */
  labels: readonly string[];
  /** The runner group's name. GitHub has groups; other systems ignore it. @default the CI system's default group */
  group?: string;
  /**
   * Globs of the only repositories that the group may be open to. `register` refuses a group that is open to other
   * repositories, because any of their jobs could take the runner. It may be some minutes behind a change of the group.
   * @default any
   */
  repositories?: readonly string[];
  /** The CI system's id of the only job that it may run; present where davit chooses an agent's job. */
  pinnedTo?: string;
}

/** A registered runner, and the variables with which its agent joins. */
export interface Registration {
  runner: CiRunner;
  /** Environment variables for the agent. Their values are secrets: only the agent gets them, and davit stores none. */
  environment: Readonly<Record<string, string>>;
}

/** The status of a job that is not over. A `waiting` job is blocked by another job and needs no agent yet. */
export type CiJobStatus = Exclude<JobStatus, 'completed'>;

/** What davit knows of a job, and of the runners, when it asks for the job. */
export interface KnownOfJob {
  /** The attempt that davit asks for. @default unknown */
  attempt?: number;
  /** The run that the job is part of. @default unknown */
  runId?: number;
  /** The runner that davit has registered for this job alone. @default none */
  own?: CiRunner;
  /** The runner that ran the job when davit last asked. @default none is known */
  runner?: CiRunner;
  /** The ids of the runners that run other jobs: the parts of one pipeline look alike. @default none is known */
  ofOthers?: ReadonlySet<number>;
}

/** The state of one job, whether it is over or not. A later attempt than the expected one means that the expected one is over. */
export type CiJobState = Pick<ReadJob, 'attempt' | 'status' | 'conclusion' | 'runner'>;

/** A job as a webhook names it that says no more. */
export interface NamedJob {
  repositoryId: number;
  jobId: number;
}

/** A page of the attempts to deliver webhooks, newest first. */
export interface DeliveryPage {
  attempts: DeliveryAttempt[];
  /** Names the page with the next older ones; absent on the last page. */
  next?: string;
}

/** A job that failed, or is about to. */
export interface FailedJob {
  id: number;
  /** The attempt that failed; counts from 1. */
  attempt: number;
}

/** A runner in a list. */
export interface ListedRunner extends CiRunner {
  /** Whether it runs a job; absent where the list does not say so. */
  isBusy?: boolean;
}

/** One page of a list of runners. */
export interface RunnersPage {
  /** Those whose names begin with the prefix. */
  runners: ListedRunner[];
  isLast: boolean;
  /** How many pages of this length the list has. */
  pages: number;
}

/** The outcome of removing a runner. */
export type RunnerRemoval = 'removed' | 'busy' | 'gone';

/** The state of one commit as people see it in the CI system. */
export interface CommitStatus {
  sha: string;
  state: 'pending' | 'success';
  /** Distinguishes the statuses of one commit. */
  context: string;
  /** At most 140 characters. */
  description: string;
  /** An http: or https: URL. */
  targetUrl?: string;
}

/** A CI system's rate limit, as its answers show it. */
export interface CiUsage {
  /** The requests of this process that count against the rate limit. */
  requests: number;
  /** All requests of this process. @default those that count */
  sent?: number;
  /** The window in the answers with the fewest requests left. */
  limit?: { requests: number; left: number; resetsAtEpochMs: number };
  /** How far the CI system's clock is ahead of davit's, by the `Date` of its latest answer, in milliseconds. */
  clockAheadMs?: number;
  /** Until then the CI system accepts no requests: every method throws CiUnavailable, and makes none. */
  pausedUntilEpochMs?: number;
}

/** What a job's page is to show while the job waits. */
export interface JobNote {
  jobId: string;
  /** At most 256 characters. */
  detail: string;
}

/** How davit reserves jobs for their agents. */
export interface JobLease {
  /** How long a reservation lasts, in milliseconds. A job whose reservation is not extended goes back to the queue. */
  readonly reservationMs: number;

  /** Reserves jobs for this davit, or extends that. Skips a job that another agent has, or that is over. */
  reserve(jobIds: readonly string[]): Promise<void>;
}

/** What a runner does that is for one job: has it, waits for it, or has had it or was removed. */
export type PinnedRunnerStatus = 'active' | 'idle' | 'gone';

/** The calls of a CI system in which davit chooses the job of an agent. Each system has some of them. */
export interface PinnedJobs {
  /** Present where a job is reserved for its agent. Elsewhere another runner may take the job first. */
  readonly lease?: JobLease;

  /**
   * Reads the states of jobs. A job that the system does not have is missing in the answer. Absent where the list of jobs
   * has each job that waits or runs: there, `getJob` is asked for one that the list lacks.
   */
  statesOf?(jobIds: readonly string[]): Promise<ReadonlyMap<string, CiJobState>>;

  /**
   * Reads whether a runner has taken the job that it was registered for. Present where another runner may take a job first.
   *
   * @returns undefined while the system does not know
   */
  runnerStatus?(scope: CiScope, runnerId: number): Promise<PinnedRunnerStatus | undefined>;

  /** Ends a job that no agent has begun as failed, with the reason. A job that is over is success. */
  finish?(jobId: string, detail: string): Promise<void>;

  /** Shows on the jobs' pages why they wait. */
  notify?(notes: readonly JobNote[]): Promise<void>;
}

/**
 * The actions of davit in one CI system. Every method may throw TransientError CiUnavailable when the system does not
 * answer, throttles or fails, and TerminalError CiRefused when it refuses: a missing permission, an unknown scope.
 */
export interface CiSystem {
  /**
   * Registers a runner. A lost answer leaves a runner behind: `runnersNamed` finds it.
   *
   * @throws TransientError WriteConflict when a runner of this name exists and the system's names are unique;
   *   TransientError, TerminalError as for the port
   */
  register(scope: CiScope, runner: NewRunner): Promise<Registration>;

  /**
   * Keeps the CI system from handing new jobs to a runner. Repeatable; a runner that is gone is success. The CI system
   * may already be handing out a job, so look for one only after `settleMs`.
   */
  stopAssigning(scope: CiScope, runnerId: number): Promise<void>;

  /**
   * Keeps a runner that runs a job from taking another one after it. Only a system whose runners do not end with their
   * job has this: there, davit removes a runner after its job. Repeatable; a runner that is gone is success.
   *
   * @returns whether it has stopped the assigning, as `stopAssigning` does
   */
  limitToOneJob?(scope: CiScope, runnerId: number): Promise<boolean>;

  /**
   * Reads when `stopAssigning` took effect, as the system itself keeps it. Only a system whose `settleMs` is too long to
   * wait for has this: any function may remove the runner later.
   *
   * @returns undefined while the system may hand jobs to the runner; 0 for a runner that is gone
   */
  stoppedAtEpochMs?(scope: CiScope, runnerId: number): Promise<number | undefined>;

  /**
   * Says whether a registered runner may have had a job. Only a system whose runners do not end with their job has this:
   * elsewhere a runner that has had one is busy or gone.
   *
   * @returns true also for a runner that is gone
   */
  mayHaveHadJob?(scope: CiScope, runnerId: number): Promise<boolean>;

  /**
   * Finds the job that a runner runs, although no list had it before it began. Only a system that is polled has this: an
   * agent may take a job between two polls.
   *
   * @returns undefined when the runner runs nothing now; otherwise a job with an id that `getJob` takes, with the runner
   */
  runningJob?(scope: CiScope, runnerId: number): Promise<ReadJob | undefined>;

  /** Present where davit chooses the job of an agent. */
  readonly pinned?: PinnedJobs;

  /** Present where the CI system keeps a queue of messages about jobs, in place of webhooks. */
  readonly jobQueue?: JobQueue;

  /**
   * Whether a runner's id follows from its name: one that is removed and registered again has the same id. @default each
   * registration makes a runner with an id of its own
   */
  readonly idsAreNames?: true;

  /** Returns the use of the CI system's rate limit, as its answers show it. */
  usage(): CiUsage;

  /** How long after `stopAssigning` a job may still appear on the runner, in milliseconds. */
  readonly settleMs: number;

  /**
   * Removes a runner unless it runs a job.
   *
   * @returns `busy` when it runs one, and is still registered; `gone` when the system no longer had it: a runner for one job
   *   goes when it has run its job
   * @param pinnedTo the runner's only job, where davit chooses it: where nothing is registered, the job says whether an agent
   *   runs it
   */
  removeIfIdle(scope: CiScope, runnerId: number, pinnedTo?: string): Promise<RunnerRemoval>;

  /** Finds the runners of a scope with exactly this name. */
  runnersNamed(scope: CiScope, name: string): Promise<CiRunner[]>;

  /** Lists the runners of a scope whose names begin with a prefix. */
  findRunners(scope: CiScope, namePrefix: string): Promise<ListedRunner[]>;

  /**
   * Reads one page of what `findRunners` lists. A runner may be on no page: it moves when another one goes.
   *
   * @param page counts from 1; a page after the last one has no runners
   */
  runnersOnPage(scope: CiScope, namePrefix: string, page: number): Promise<RunnersPage>;

  /**
   * Reads one runner. A list may lack a registered runner: one that goes while davit reads the pages hides another one.
   *
   * @param pinnedTo the runner's only job, where davit chooses it: where nothing is registered, the runner is there until that
   *   job is over
   * @returns undefined when the system no longer has the runner. A refusal is an error: it may hide a runner.
   */
  getRunner(scope: CiScope, runnerId: number, pinnedTo?: string): Promise<CiRunner | undefined>;

  /**
   * Reads one job, in any state. A list may lack a job that is not over.
   *
   * @param known for a system that forgets a job when it begins. @default nothing
   * @returns undefined when the system shows the repository and has no such job there
   * @throws TerminalError CiRefused also when the system does not show the repository
   */
  getJob(repository: RepositoryName, jobId: ReadJob['jobId'], known?: KnownOfJob): Promise<CiJobState | undefined>;

  /**
   * Finds the job that a webhook named by its ids alone, in any state. Only a system whose webhooks say too little of a job
   * has this.
   *
   * @returns undefined when the system shows no such job, or it is not one of davit's scope
   */
  findJob?(ids: NamedJob): Promise<ReadJob | undefined>;

  /**
   * Lists the jobs of a run's latest attempt, in any state. Only a system whose queue of messages names runs has this.
   *
   * @throws TerminalError CiRefused also when the system does not show the run
   */
  jobsOfRun?(repository: RepositoryName, runId: number): Promise<ReadJob[]>;

  /** Which scopes `listJobs` takes besides repositories: a system may have no list of an organization's jobs. */
  readonly listsJobsOf: 'organization' | 'repository';

  /**
   * Lists the jobs of a scope that are not over, oldest first; a system that is polled may leave out those that run.
   *
   * @returns undefined for a repository that the system does not show, because it was deleted
   */
  listJobs(scope: CiScope, statuses: readonly CiJobStatus[]): Promise<ReadJob[] | undefined>;

  /**
   * Lists attempts to deliver webhooks, newest first; none for a system that keeps no such list.
   *
   * @param page as an earlier answer names it. @default the newest
   */
  listDeliveries(page?: string): Promise<DeliveryPage>;

  /** Asks the system to deliver a webhook again. */
  redeliver(deliveryId: string): Promise<void>;

  /**
   * Runs failed jobs of a run once more, with the jobs that depend on them. A CI system begins one attempt of a run at a
   * time. So for several jobs it runs all failed jobs of the run again, those too that are not among them.
   *
   * @returns `running` while the run is not over: a later call may succeed; otherwise the ids of those jobs that run again,
   *   without a job that has not failed, or of which a later attempt has begun
   */
  rerunFailed(
    repository: RepositoryName,
    runId: number,
    jobs: readonly FailedJob[],
  ): Promise<'running' | readonly number[]>;

  /** Writes a commit status. The same context of the same commit is overwritten. */
  setCommitStatus(repository: RepositoryName, status: CommitStatus): Promise<void>;
}
