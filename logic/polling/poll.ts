import type { OpenJob, PollCursor } from '../../core/ci/poll-cursor.ts';

/** How far a poll has got. */
export interface PollState {
  cursor: PollCursor;
  /** The revision at which the cursor is stored; undefined when an overlapping poll has stored another one. */
  revision: number | undefined;
}

/** The outcome of one poll. */
export interface Polled extends PollState {
  /** The jobs that are new in the queue. */
  queued: number;
  /** What could not be handled; the next poll tries again. */
  errors: string[];
}

/** What one poll has found. */
export class Poll {
  readonly open: OpenJob[] = [];
  readonly errors: string[] = [];

  /** Handles a job or a runner. After a failure, the next poll tries again, and this one goes on with the others. */
  async attempt(
    subject: string,
    before: OpenJob | undefined,
    handle: () => Promise<OpenJob | undefined>,
  ): Promise<void> {
    try {
      const after = await handle();
      if (after !== undefined) this.open.push(after);
    } catch (error) {
      if (before !== undefined) this.open.push(before);
      this.errors.push(`${subject}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/**
 * Puts jobs under their keys. Of several that are the same job, the first one counts, which the cursor has. It gets the
 * runner of a later one if it has none.
 */
export function byKey(jobs: readonly OpenJob[]): Map<string, OpenJob> {
  const known = new Map<string, OpenJob>();
  for (const job of jobs) {
    const before = known.get(job.jobKey);
    if (before === undefined || before.runner === undefined) known.set(job.jobKey, { ...before, ...job });
  }
  return known;
}
