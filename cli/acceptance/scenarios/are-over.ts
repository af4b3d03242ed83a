import type { SeenAttempt } from '../acceptance-ci.ts';

/** Says whether this many attempts are there, and all of them are over. */
export function areOver(attempts: readonly SeenAttempt[], atLeast: number): boolean {
  return attempts.length >= atLeast && attempts.every(({ status }) => status === 'completed');
}
