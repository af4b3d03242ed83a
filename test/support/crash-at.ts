import type { TestDeps } from './make-test-deps.ts';
import { callsThrough } from './port-with.ts';

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

  const isObjectWrite = (method: string) => method === 'create' || method === 'delete';

  return {
    hasCrashed: () => writes >= point.write,
    deps: {
      ...deps,
      openCluster: async () => ({
        services: callsThrough(cluster.services, write, isObjectWrite),
        pods: callsThrough(cluster.pods, write, isObjectWrite),
        nodes: cluster.nodes,
        reports: cluster.reports,
      }),
      tokens: callsThrough(tokens, write),
      launches: callsThrough(launches, write, (method) => !/^(get|salvage|list)/.test(method)),
    },
  };
}
