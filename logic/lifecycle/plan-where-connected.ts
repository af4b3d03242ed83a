import type { Profile } from '../../core/config/config.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { type LaunchRequest, planLaunch } from '../../core/launch/plan-launch.ts';
import { type AwayClustersDeps, awayClusters } from '../cluster-reports/away-clusters.ts';

/**
 * Plans a launch on the first of its profile's clusters that is not known to be away for its namespace. A profile with a
 * single cluster leaves no choice, so this reads no state.
 */
export async function planWhereConnected(
  deps: AwayClustersDeps,
  profile: Profile,
  request: LaunchRequest,
): Promise<LaunchPlan> {
  const away =
    profile.clusters.length > 1 ? await awayClusters(deps, profile.clusters, profile.namespace) : new Set<string>();
  return planLaunch(profile, request, deps.nowEpochMs(), away);
}
