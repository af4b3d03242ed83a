import type { LostJob, LostJobOutcome } from '../core/job/lost-job.ts';

/** The right of one reconcile to ask for lost jobs. It ends by itself, because its reconcile may have died. */
export interface LostJobClaim {
  /** A name that no other reconcile has: a repeat gets the same answer. */
  by: string;
  atEpochMs: number;
  untilEpochMs: number;
}

/**
 * The jobs that lost their agents, and their outcomes: one for each job of a run, by its name. Every write is conditional
 * and repeatable. Any method may throw TransientError StoreUnavailable.
 */
export interface LostJobs {
  /** Remembers a lost job. The first of a run's jobs of this name stays, so davit does not run a re-run again. */
  note(lost: LostJob): Promise<void>;
  /** Lists the lost jobs of a CI system without an outcome; strongly consistent. */
  listWaiting(ciSystem: string): Promise<LostJob[]>;
  /** Claims a lost job without an outcome. @returns false while another claim lasts */
  claim(lost: LostJob, claim: LostJobClaim): Promise<boolean>;
  /** Gives up a claim. Another one's stays. */
  release(lost: LostJob, claim: LostJobClaim): Promise<void>;
  /** Writes the outcome of a lost job; the first outcome stays. */
  settle(lost: LostJob, outcome: LostJobOutcome): Promise<void>;
}
