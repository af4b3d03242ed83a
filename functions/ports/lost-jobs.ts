import type { LostJob } from '../domain/lost-job.ts';

/** The outcome of a lost job: davit requested a re-run, needed none, or gave up after too long. */
export type LostJobOutcome = 'asked' | 'unneeded' | 'expired';

/**
 * The jobs that lost their agents, and their outcomes: one for each job of a run, by its name. Every write is conditional
 * and repeatable. Any method may throw TransientError StoreUnavailable.
 */
export interface LostJobs {
  /** Remembers a lost job. The first of a run's jobs of this name stays, so davit does not run a re-run again. */
  note(lost: LostJob): Promise<void>;
  /** Lists the lost jobs of a CI system without an outcome; strongly consistent. */
  listWaiting(ciSystem: string): Promise<LostJob[]>;
  /** Writes the outcome of a lost job; the first outcome stays. */
  settle(lost: LostJob, outcome: LostJobOutcome): Promise<void>;
}
