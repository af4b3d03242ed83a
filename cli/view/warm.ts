import type { Launch } from './timeline.ts';

/** Says whether a launch was requested for no job, and its agent has run none. */
export function isIdleWarm({ plan, job }: Pick<Launch, 'plan' | 'job'>): boolean {
  return plan?.join !== undefined && plan.jobKey === undefined && job === undefined;
}

/** Says whether a live launch's agent stands by: it waits without a registration until davit summons it. */
export function standsBy({ standby, status }: Pick<Launch, 'standby' | 'status'>): boolean {
  return status === 'connected' && standby !== undefined && standby.summonedAt === undefined;
}
