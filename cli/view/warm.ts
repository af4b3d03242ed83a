import type { Launch } from './timeline.ts';

/** Says whether a launch was requested for no job, and its agent has run none. */
export function isIdleWarm({ plan, job }: Pick<Launch, 'plan' | 'job'>): boolean {
  return plan?.join !== undefined && plan.jobKey === undefined && job === undefined;
}
