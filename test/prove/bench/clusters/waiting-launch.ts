import { profileNames } from '../../on-cluster/config.ts';
import type { Timeline } from '../timelines.ts';
import type { ClusterWorld } from './world.ts';

/** Launches an agent that nobody places, so that the launch stays under way, and waits until the cluster is connected. */
export async function launchThatWaits(world: ClusterWorld): Promise<Timeline> {
  const launch = await world.launcher.request(profileNames.nobody);
  await world.launcher.entered(launch, 'PollHostIP');
  await world.untilState('is true', ({ connected }) => connected === true);
  return launch;
}
