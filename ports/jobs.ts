import type { PoolLook } from '../core/agent/pool.ts';
import type { RepositoryName } from '../core/ci/ci-scope.ts';
import type { JobId } from '../core/job/job-id.ts';
import type { JobRecord, SeenJob } from '../core/job/job-record.ts';
import type { LaunchId } from '../core/launch/names.ts';

/** A repository with events in the last day, an hour more or less. */
export interface KnownRepository {
  repository: RepositoryName;
  /** Absent for a repository of a user. */
  organization?: string;
}

/** A job that waits to run, as the index has it. */
export interface WaitingJob {
  /** By `jobKeyOf`. */
  jobKey: string;
  /** When davit first saw it, to the second. */
  sinceEpochMs: number;
}

/**
 * The jobs table: one record for each attempt of a job. Every write is conditional and repeatable, and every read is
 * strongly consistent. Any method may throw TransientError StoreUnavailable.
 */
export interface Jobs {
  get(job: JobId): Promise<JobRecord | undefined>;
  /** Merges a seen job into its record, as `mergeJob` does. @returns the record in effect */
  note(seen: SeenJob, atEpochMs: number): Promise<JobRecord>;
  /**
   * Counts one more launch of a queued job, if it had exactly `counted` launches before. Of callers with different launch
   * ids only one gets true. Each with the same id does, since an answer may be lost: the launch's own record makes the
   * launch a single one.
   */
  claimLaunch(job: JobId, counted: number, launchId: LaunchId, atEpochMs: number): Promise<boolean>;
  /** Writes which launch's agent runs the job, once: the first stays. */
  noteRanBy(job: JobId, launchId: LaunchId): Promise<void>;
  /**
   * Writes that a queued job waits for a slot of a limit, and why, if davit has requested exactly `counted` launches
   * for it. The next claim of a launch removes both.
   *
   * @param limitKey undefined when the job no longer waits for a slot
   */
  noteLimited(job: JobId, counted: number, limitKey: string | undefined, reason: string): Promise<void>;
  /** Lists the jobs of a CI system that wait for slots, as `listWaiting` does. Some of them may no longer wait. */
  listLimited(ciSystem: string): Promise<WaitingJob[]>;
  /** Writes why davit requested no agent, until it requests one. */
  noteNotLaunched(job: JobId, reason: string): Promise<void>;
  /**
   * Lists the jobs of a CI system that wait to run, oldest first: by an index, which may be some moments behind the records,
   * in either direction.
   */
  listWaiting(ciSystem: string): Promise<WaitingJob[]>;
  /**
   * Reads many records, by `jobKeyOf`, in no order. Leaves out a job without a record, and one whose record cannot be read:
   * it must not stop the others. The adapter reports it. Every other method throws for such a record.
   */
  getMany(jobKeys: readonly string[]): Promise<JobRecord[]>;
  /** Remembers for a day that a repository sends events of jobs for davit. */
  noteRepository(ciSystem: string, known: KnownRepository, atEpochMs: number): Promise<void>;
  /** Lists the repositories of a CI system that sent an event in the last day, except those that cannot be read. */
  listRepositories(ciSystem: string, nowEpochMs: number): Promise<KnownRepository[]>;
  /** Reads what the last reconcile saw of each pool of a CI system, by the pool's key. */
  readLooks(ciSystem: string): Promise<ReadonlyMap<string, PoolLook>>;
  /** Stores what a reconcile saw of one pool, unless that of a later moment is stored. */
  keepLook(ciSystem: string, poolKey: string, look: PoolLook, atEpochMs: number): Promise<void>;
}
