import * as z from 'zod';
import { ClusterView } from '../../../../functions/clusters/cluster-view-schema.ts';
import type { ApiClient } from '../../../contract/api-client.ts';
import { type BreakableLine, startBreakableLine } from '../../cluster/breakable-line.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { until } from '../../cluster/until.ts';
import { profileNames } from '../../on-cluster/config.ts';
import type { LiveDavit } from '../../on-cluster/live-davit.ts';
import { prepareCluster, startDavit } from '../start-davit.ts';
import type { Launcher, Timeline } from '../timelines.ts';

/** A cluster to lose repeatedly, and a davit that reaches it over a line that can break. */
export interface ClusterWorld extends AsyncDisposable {
  cluster: Cluster;
  line: BreakableLine;
  /** A client with full rights that bypasses the line. */
  api: ApiClient;
  davit: LiveDavit;
  launcher: Launcher;
  /** Reads the cluster's state, as `GET /clusters/{name}` shows it. */
  show: () => Promise<ClusterView>;
  /** Waits until the state matches. */
  untilState: (what: string, isIt: (state: ClusterView) => boolean) => Promise<ClusterView>;
}

const patienceMs = 180_000;

/** Starts a cluster, a line to it and a davit. */
export async function startClusterWorld(): Promise<ClusterWorld> {
  await using started = new AsyncDisposableStack();
  const { cluster, api, config, kubeconfig } = await prepareCluster(started);
  const line = started.use(await startBreakableLine(cluster));
  const { davit, launcher } = await startDavit(started, { cluster, kubeconfig: line.through(kubeconfig) });
  const name = config.clusters[0]?.name ?? '';
  const show = async () => z.parse(ClusterView, (await davit.launches.get(`/clusters/${name}`)).body);
  const untilState: ClusterWorld['untilState'] = (what, isIt) =>
    until(`the cluster's state ${what}`, patienceMs, async () => {
      const state = await show();
      return isIt(state) ? state : undefined;
    });
  const running = started.move();
  const stop = () => running.disposeAsync();
  return { cluster, line, api, davit, launcher, show, untilState, [Symbol.asyncDispose]: stop };
}

/** Launches an agent that nobody places, so that the launch stays under way, and waits until the cluster is connected. */
export async function launchThatWaits(world: ClusterWorld): Promise<Timeline> {
  const launch = await world.launcher.request(profileNames.nobody);
  await world.launcher.entered(launch, 'PollHostIP');
  await world.untilState('is true', ({ connected }) => connected === true);
  return launch;
}
