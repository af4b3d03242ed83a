import type { Cluster, ObjectPort } from '../../ports/cluster.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Registrations } from '../../ports/registrations.ts';
import { ApiServer } from '../../simulation/world/api-server.ts';
import { clusterOf } from '../../simulation/world/cluster-port.ts';
import { ClustersTable, simulatedClusterStates } from '../../simulation/world/clusters-table.ts';
import { type Core, makeCore } from '../../simulation/world/core.ts';
import { CreateOutages } from '../../simulation/world/create-outages.ts';
import { Invocation } from '../../simulation/world/invocation.ts';
import { JobsTable, simulatedJobs } from '../../simulation/world/jobs-table.ts';
import { LaunchesTable, simulatedLaunches, simulatedRegistrations } from '../../simulation/world/launches-table.ts';
import { SimulatedNamespace } from '../../simulation/world/namespace.ts';
import { SimulatedNode } from '../../simulation/world/node.ts';
import { simulatedTokens, TokensTable } from '../../simulation/world/tokens-table.ts';
import { callsThrough, portWith } from './port-with.ts';

/** Advances a simulated world's time whenever a caller waits for an answer from it. */
class PassingTime {
  readonly #core: Core;
  #passing: Promise<void> | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Makes a call, and advances time until nothing more happens. */
  readonly while = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    const answer = call();
    answer.catch(() => undefined);
    if (this.#passing === undefined) this.#passing = this.#pass();
    return answer;
  };

  async #pass(): Promise<void> {
    await this.#core.scheduler.run();
    this.#passing = undefined;
  }
}

function makeWorld() {
  const core = makeCore(1, new Map());
  const invocation = new Invocation(core, 'sweep', 'contract', () => undefined);
  return { core, invocation, time: new PassingTime(core) };
}

/** Makes an empty simulated launches table, and a function that makes a launch's record unreadable. */
export function makeSimulatedLaunches(): {
  launches: Launches;
  registrations: Registrations;
  damage: (launchId: string) => Promise<void>;
} {
  const { core, invocation, time } = makeWorld();
  const table = new LaunchesTable(core);
  return {
    launches: callsThrough(simulatedLaunches(table, invocation), time.while),
    registrations: callsThrough(simulatedRegistrations(table, invocation), time.while),
    damage: async (launchId) => table.damage(launchId),
  };
}

/** Makes an empty simulated jobs table. */
export function makeSimulatedJobs(): Jobs {
  const { invocation, time } = makeWorld();
  return callsThrough(simulatedJobs(new JobsTable(), invocation), time.while);
}

/** Makes an empty simulated tokens table. */
export function makeSimulatedTokens() {
  const { core, invocation, time } = makeWorld();
  const tokens = callsThrough(simulatedTokens(new TokensTable(core), invocation), time.while);
  return { reader: tokens, publisher: tokens };
}

/** Makes an empty simulated clusters table. */
export function makeSimulatedClusterStates(): ClusterStates {
  const { core, invocation, time } = makeWorld();
  return callsThrough(simulatedClusterStates(new ClustersTable(core, () => undefined), invocation), time.while);
}

/** Makes a simulated cluster with one empty namespace. */
export function makeSimulatedCluster(namespace: string): Cluster {
  const { core, invocation, time } = makeWorld();
  const server = new ApiServer('cluster', 0);
  const simulated = new SimulatedNamespace(core, server);
  simulated.join(new SimulatedNode(core, simulated, () => ({ kill: () => undefined, failJob: () => undefined })));
  const { services, pods, nodes, reports } = clusterOf(
    { server, namespaces: new Map([[namespace, simulated]]), creates: new CreateOutages(core, 'cluster', () => {}) },
    invocation,
  );
  return { services: observed(services, time), pods: observed(pods, time), nodes, reports };
}

/** Makes time advance for the objects of a kind, also while a caller waits for the next state of one. */
function observed<View extends { metadata: { uid: string } }>(
  port: ObjectPort<View>,
  time: PassingTime,
): ObjectPort<View> {
  return portWith(callsThrough(port, time.while), {
    async *observe(namespace, name, options) {
      const states = port.observe(namespace, name, options)[Symbol.asyncIterator]();
      for (;;) {
        const next = await time.while(() => states.next());
        if (next.done) return;
        yield next.value;
      }
    },
  });
}
