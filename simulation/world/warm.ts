import type { LaunchPlan } from '../../core/launch/launch-state.ts';

/** Says whether a launch is a warm agent's: it has no job. */
export function isWarmLaunch(launchId: string): boolean {
  return launchId.includes('-warm-');
}

/**
 * Says whether a launch that joins the queue counts for the repository. A launch for an organization, without a job,
 * does not.
 */
export function isOfRepository({ join, jobKey }: Pick<LaunchPlan, 'join' | 'jobKey'>): boolean {
  return jobKey !== undefined || (join !== undefined && 'repository' in join.scope);
}
