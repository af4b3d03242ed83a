import type { Cluster, ObjectPort } from '../../functions/ports/cluster.ts';
import type { Launches } from '../../functions/ports/launches.ts';
import type { Registrations } from '../../functions/ports/registrations.ts';
import { ApiServer } from '../../simulation/world/api-server.ts';
import { clusterOf } from '../../simulation/world/cluster-port.ts';
import { type Core, makeCore } from '../../simulation/world/core.ts';
import { Invocation } from '../../simulation/world/invocation.ts';
import { LaunchesTable, SimulatedLaunches } from '../../simulation/world/launches-table.ts';
import { SimulatedNamespace } from '../../simulation/world/namespace.ts';
import { SimulatedNode } from '../../simulation/world/node.ts';
import { simulatedRegistrations } from '../../simulation/world/registrations.ts';
import { SimulatedTokens, TokensTable } from '../../simulation/world/tokens-table.ts';
import { launchesWith } from '../simulation/mutants/doubles.ts';
import { portWith } from './port-with.ts';

/** Lets a simulated world's time pass whenever somebody waits for an answer from it. */
class PassingTime {
  readonly #core: Core;
  #passing: Promise<void> | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Makes a call, and lets time pass until nothing more happens. */
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

/** Makes an empty simulated launches table, and what makes the record of a launch one that cannot be read. */
export function makeSimulatedLaunches(): {
  launches: Launches;
  registrations: Registrations;
  damage: (launchId: string) => Promise<void>;
} {
  const { core, invocation, time } = makeWorld();
  const table = new LaunchesTable(core);
  const simulated = new SimulatedLaunches(table, invocation);
  const launches = launchesWith(simulated, {
    request: (record) => time.while(() => simulated.request(record)),
    get: (launchId) => time.while(() => simulated.get(launchId)),
    getMany: (launchIds) => time.while(() => simulated.getMany(launchIds)),
    list: (query) => time.while(() => simulated.list(query)),
    noteSignal: (launchId, signal) => time.while(() => simulated.noteSignal(launchId, signal)),
    clearSignal: (launchId, seenWellAt) => time.while(() => simulated.clearSignal(launchId, seenWellAt)),
    markConnected: (agent, atEpochMs) => time.while(() => simulated.markConnected(agent, atEpochMs)),
    relaunch: (plan, ended) => time.while(() => simulated.relaunch(plan, ended)),
    end: (launchId, ending, options) => time.while(() => simulated.end(launchId, ending, options)),
    noteDiagnostics: (launchId, diagnostics) => time.while(() => simulated.noteDiagnostics(launchId, diagnostics)),
    claimCleanUp: (launchId, at, notSince) => time.while(() => simulated.claimCleanUp(launchId, at, notSince)),
    markCleaned: (launchId, atEpochMs) => time.while(() => simulated.markCleaned(launchId, atEpochMs)),
  });
  const joining = simulatedRegistrations(table, invocation);
  const registrations: Registrations = {
    begin: (...given) => time.while(() => joining.begin(...given)),
    complete: (...given) => time.while(() => joining.complete(...given)),
    bind: (...given) => time.while(() => joining.bind(...given)),
    retire: (...given) => time.while(() => joining.retire(...given)),
    noteDeregistered: (...given) => time.while(() => joining.noteDeregistered(...given)),
  };
  return { launches, registrations, damage: async (launchId) => table.damage(launchId) };
}

/** Makes an empty simulated tokens table. */
export function makeSimulatedTokens() {
  const { core, invocation, time } = makeWorld();
  const tokens = new SimulatedTokens(new TokensTable(core), invocation);
  return {
    reader: { get: (agentName: string) => time.while(() => tokens.get(agentName)) },
    publisher: { publish: (token: Parameters<typeof tokens.publish>[0]) => time.while(() => tokens.publish(token)) },
  };
}

/** Makes a simulated cluster that has one empty namespace. */
export function makeSimulatedCluster(namespace: string): Cluster {
  const { core, invocation, time } = makeWorld();
  const server = new ApiServer('cluster', 0);
  const simulated = new SimulatedNamespace(core, server);
  simulated.join(new SimulatedNode(core, simulated, () => ({ kill: () => undefined })));
  const { services, pods, nodes, reports } = clusterOf(
    { server, namespaces: new Map([[namespace, simulated]]) },
    invocation,
  );
  return { services: passing(services, time), pods: passing(pods, time), nodes, reports };
}

function passing<View extends { metadata: { uid: string } }>(
  port: ObjectPort<View>,
  time: PassingTime,
): ObjectPort<View> {
  return portWith(port, {
    create: (manifest) => time.while(() => port.create(manifest)),
    get: (namespace, name) => time.while(() => port.get(namespace, name)),
    list: (namespace, labels, cursor) => time.while(() => port.list(namespace, labels, cursor)),
    delete: (namespace, name, uid) => time.while(() => port.delete(namespace, name, uid)),
    async *observe(namespace, name, options) {
      const observed = port.observe(namespace, name, options)[Symbol.asyncIterator]();
      for (;;) {
        const next = await time.while(() => observed.next());
        if (next.done) return;
        yield next.value;
      }
    },
  });
}
