import { labelKeys } from '../../core/launch/names.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';
import type { LocalCluster, SandboxedCluster } from '../runtime/start-cluster.ts';
import type { ClusterFollower, FollowedChange } from './follow-cluster.ts';
import { followSandbox } from './follow-sandbox.ts';
import type { LaunchReport } from './run-launch.ts';
import type { ClusterCount } from './summary.ts';

/** Counts the objects that davit makes for launches, as the cluster reports them. */
export interface RunningCount extends AsyncDisposable {
  /** Counts the objects made for these launches, and those that still exist. */
  end(launches: readonly Pick<LaunchReport, 'launchId'>[]): Promise<ClusterCount>;
}

/** Starts to count. Call it before the first launch. */
export async function startCount(cluster: LocalCluster | SandboxedCluster): Promise<RunningCount> {
  const made: FollowedChange[] = [];
  const follower = await follow(cluster, (change) => {
    if (change.type === 'ADDED') made.push(change);
  });
  return {
    end: async (launches) => {
      const ids = new Set(launches.map(({ launchId }) => launchId));
      const isTheirs = ({ metadata }: KubeObject) => ids.has(metadata.labels?.[labelKeys.launchId] ?? '');
      const left = (await follower.present()).filter(isTheirs);
      const created = (of: FollowedChange['resource']) =>
        made.filter(({ resource, object }) => resource === of && isTheirs(object)).length;
      return {
        servicesCreated: created('services'),
        podsCreated: created('pods'),
        left: left.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      };
    },
    [Symbol.asyncDispose]: () => follower[Symbol.asyncDispose](),
  };
}

async function follow(
  cluster: LocalCluster | SandboxedCluster,
  heard: (change: FollowedChange) => void,
): Promise<ClusterFollower> {
  if ('sandbox' in cluster) return followSandbox(cluster.sandbox, heard);
  // Loads the client only here, because a real cluster's client takes half a second to load.
  const { followCluster } = await import('./follow-cluster.ts');
  return followCluster(cluster.kubeconfig, heard);
}
