import type { Profile } from '../../core/config/config.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import type { Cluster, OpenCluster } from '../../ports/cluster.ts';

/**
 * Opens clusters in which davit may have no right to Services: its Role has none in a namespace where no profile exposes
 * its agents. There, a refused list of Services is an empty one, and is not asked for again. As long as the Role still has
 * the right, davit finds and removes the Services of a profile that exposed its agents before.
 */
export function whereExposed(open: OpenCluster, profiles: readonly Profile[]): OpenCluster {
  const exposed = new Set(
    profiles
      .filter(({ expose }) => expose === 'nodePort')
      .flatMap(({ clusters, namespace }) => clusters.map((cluster) => `${cluster} ${namespace}`)),
  );
  const known = new WeakMap<Cluster, Cluster>();
  return async (name) => {
    const cluster = await open(name);
    const tolerant = known.get(cluster) ?? tolerating(cluster, (namespace) => !exposed.has(`${name} ${namespace}`));
    known.set(cluster, tolerant);
    return tolerant;
  };
}

/** An observation since this version begins with the object itself. */
const noServices = { items: [], resourceVersion: '0' };

function tolerating(cluster: Cluster, hasNone: (namespace: string) => boolean): Cluster {
  const { services } = cluster;
  const refused = new Set<string>();
  const list: typeof services.list = async (namespace, labels, cursor) => {
    if (refused.has(namespace)) return noServices;
    try {
      return await services.list(namespace, labels, cursor);
    } catch (error) {
      const isForbidden = error instanceof TerminalError && error.code === 'ClusterForbidden';
      if (!isForbidden || !hasNone(namespace)) throw error;
      refused.add(namespace);
      return noServices;
    }
  };
  return { ...cluster, services: { ...services, list } };
}
