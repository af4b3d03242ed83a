import type { PodView } from '../../../functions/domain/kubernetes-objects.ts';
import type { Cluster, ObjectPort } from '../../../functions/ports/cluster.ts';
import type { Launches } from '../../../functions/ports/launches.ts';
import type { SimulatedDeps } from '../../../simulation/world/davit.ts';
import { portWith } from '../../support/port-with.ts';

/** The launches table with some methods replaced. */
export function launchesWith(launches: Launches, overrides: Partial<Launches>): Launches {
  return {
    request: (record) => launches.request(record),
    get: (launchId) => launches.get(launchId),
    getMany: (launchIds) => launches.getMany(launchIds),
    list: (query) => launches.list(query),
    noteSignal: (launchId, signal) => launches.noteSignal(launchId, signal),
    clearSignal: (launchId, seenWellAt) => launches.clearSignal(launchId, seenWellAt),
    markConnected: (agent, atEpochMs) => launches.markConnected(agent, atEpochMs),
    relaunch: (plan, ended) => launches.relaunch(plan, ended),
    end: (launchId, ending, options) => launches.end(launchId, ending, options),
    noteDiagnostics: (launchId, diagnostics) => launches.noteDiagnostics(launchId, diagnostics),
    claimCleanUp: (launchId, atEpochMs, notSince) => launches.claimCleanUp(launchId, atEpochMs, notSince),
    markCleaned: (launchId, atEpochMs) => launches.markCleaned(launchId, atEpochMs),
    ...overrides,
  };
}

/** Makes methods that stand in for those of one kind of object. */
export type Override = <View extends { metadata: { uid: string; labels?: Record<string, string> | undefined } }>(
  port: ObjectPort<View>,
) => Partial<ObjectPort<View>>;

/** Dependencies whose cluster has some methods replaced: of every kind of object. */
export function clusterWith(deps: SimulatedDeps, override: Override): SimulatedDeps {
  return {
    ...deps,
    openCluster: async (name) => {
      const { services, pods, ...others }: Cluster = await deps.openCluster(name);
      return { services: portWith(services, override(services)), pods: portWith(pods, override(pods)), ...others };
    },
  };
}

/** Dependencies that show each Pod that is observed to a function first, which may throw. */
export function podsObserved(deps: SimulatedDeps, heed: (pod: PodView | undefined) => void): SimulatedDeps {
  return {
    ...deps,
    openCluster: async (name) => {
      const cluster = await deps.openCluster(name);
      const pods = portWith(cluster.pods, {
        async *observe(namespace, pod, options) {
          for await (const seen of cluster.pods.observe(namespace, pod, options)) {
            heed(seen);
            yield seen;
          }
        },
      });
      return { ...cluster, pods };
    },
  };
}
