import type { SeenAttempt } from './acceptance-ci.ts';

const statuses = ['queued', 'in_progress', 'completed'] as const;

/** Reads a job's status. One that davit does not know does not say that the job is over. */
export function knownStatus(text: string): SeenAttempt['status'] {
  return statuses.find((each) => each === text) ?? 'waiting';
}

/** Reads a moment. @returns undefined for none, and for the zero times of 1970 and of the year 1 */
export function momentOf(text: string | null | undefined): number | undefined {
  const epochMs = Date.parse(text ?? '');
  return epochMs > 0 ? epochMs : undefined;
}
