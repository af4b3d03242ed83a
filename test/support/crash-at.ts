import type { ObjectPort } from '../../ports/cluster.ts';
import type { TestDeps } from './make-test-deps.ts';
import { portWith } from './port-with.ts';

/** The death of a process. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** The point at which a process dies: just before or just after one of its writes, counted from 1. */
export interface CrashPoint {
  write: number;
  when: 'before' | 'after';
}

/** Dependencies with which a process dies at one point. It writes nothing after that. */
export function crashAt(deps: TestDeps, point: CrashPoint): { deps: TestDeps; hasCrashed: () => boolean } {
  const { cluster, launches, tokens } = deps;
  let writes = 0;

  async function write<Result>(call: () => Promise<Result>): Promise<Result> {
    writes += 1;
    if (writes < point.write) return call();
    if (writes === point.write && point.when === 'after') await call();
    throw new Crash(`${point.when} write ${point.write}`);
  }

  const mortal = <View>(port: ObjectPort<View>) =>
    portWith(port, {
      create: (manifest) => write(() => port.create(manifest)),
      delete: (namespace, name, uid) => write(() => port.delete(namespace, name, uid)),
    });

  return {
    hasCrashed: () => writes >= point.write,
    deps: {
      ...deps,
      openCluster: async () => ({
        services: mortal(cluster.services),
        pods: mortal(cluster.pods),
        nodes: cluster.nodes,
        reports: cluster.reports,
      }),
      tokens: { publish: (token) => write(() => tokens.publish(token)) },
      launches: {
        request: (record) => write(() => launches.request(record)),
        get: (launchId) => launches.get(launchId),
        salvage: (launchId) => launches.salvage(launchId),
        getMany: (launchIds) => launches.getMany(launchIds),
        list: (query) => launches.list(query),
        listStandby: (...given) => launches.listStandby(...given),
        noteSignal: (...called) => write(() => launches.noteSignal(...called)),
        notePodState: (...called) => write(() => launches.notePodState(...called)),
        noteTimeline: (...called) => write(() => launches.noteTimeline(...called)),
        clearSignal: (launchId, seenWellAtEpochMs) => write(() => launches.clearSignal(launchId, seenWellAtEpochMs)),
        markConnected: (...called) => write(() => launches.markConnected(...called)),
        relaunch: (plan, ended) => write(() => launches.relaunch(plan, ended)),
        end: (...called) => write(() => launches.end(...called)),
        claimCleanUp: (launchId, atEpochMs, notSinceEpochMs) =>
          write(() => launches.claimCleanUp(launchId, atEpochMs, notSinceEpochMs)),
        noteDiagnostics: (launchId, diagnostics) => write(() => launches.noteDiagnostics(launchId, diagnostics)),
        markCleaned: (...called) => write(() => launches.markCleaned(...called)),
        markLeft: (launchId, left) => write(() => launches.markLeft(launchId, left)),
      },
    },
  };
}
