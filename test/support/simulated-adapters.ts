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
import { SimulatedTokens, TokensTable } from '../../simulation/world/tokens-table.ts';
import { launchesWith } from '../prove/simulation/mutants/doubles.ts';
import { portWith } from './port-with.ts';

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
  const simulated = simulatedLaunches(table, invocation);
  const launches = launchesWith(simulated, {
    request: (record) => time.while(() => simulated.request(record)),
    get: (launchId) => time.while(() => simulated.get(launchId)),
    salvage: (launchId) => time.while(() => simulated.salvage(launchId)),
    getMany: (launchIds) => time.while(() => simulated.getMany(launchIds)),
    list: (query) => time.while(() => simulated.list(query)),
    listStandby: (...given) => time.while(() => simulated.listStandby(...given)),
    noteSignal: (...called) => time.while(() => simulated.noteSignal(...called)),
    notePodState: (...called) => time.while(() => simulated.notePodState(...called)),
    noteTimeline: (...called) => time.while(() => simulated.noteTimeline(...called)),
    clearSignal: (launchId, seenWellAt) => time.while(() => simulated.clearSignal(launchId, seenWellAt)),
    markConnected: (...called) => time.while(() => simulated.markConnected(...called)),
    relaunch: (plan, ended) => time.while(() => simulated.relaunch(plan, ended)),
    end: (...called) => time.while(() => simulated.end(...called)),
    noteDiagnostics: (launchId, diagnostics) => time.while(() => simulated.noteDiagnostics(launchId, diagnostics)),
    claimCleanUp: (launchId, at, notSince) => time.while(() => simulated.claimCleanUp(launchId, at, notSince)),
    markCleaned: (...called) => time.while(() => simulated.markCleaned(...called)),
    markLeft: (launchId, left) => time.while(() => simulated.markLeft(launchId, left)),
  });
  const joining = simulatedRegistrations(table, invocation);
  const registrations: Registrations = {
    standBy: (...given) => time.while(() => joining.standBy(...given)),
    noteRenewal: (...given) => time.while(() => joining.noteRenewal(...given)),
    summon: (...given) => time.while(() => joining.summon(...given)),
    begin: (...given) => time.while(() => joining.begin(...given)),
    take: (...given) => time.while(() => joining.take(...given)),
    complete: (...given) => time.while(() => joining.complete(...given)),
    bind: (...given) => time.while(() => joining.bind(...given)),
    retire: (...given) => time.while(() => joining.retire(...given)),
    noteDeregistered: (...given) => time.while(() => joining.noteDeregistered(...given)),
  };
  return { launches, registrations, damage: async (launchId) => table.damage(launchId) };
}

/** Makes an empty simulated jobs table. */
export function makeSimulatedJobs(): Jobs {
  const { invocation, time } = makeWorld();
  const jobs = simulatedJobs(new JobsTable(), invocation);
  return {
    get: (...given) => time.while(() => jobs.get(...given)),
    note: (...given) => time.while(() => jobs.note(...given)),
    claimLaunch: (...given) => time.while(() => jobs.claimLaunch(...given)),
    noteRanBy: (...given) => time.while(() => jobs.noteRanBy(...given)),
    noteNotLaunched: (...given) => time.while(() => jobs.noteNotLaunched(...given)),
    noteRepository: (...given) => time.while(() => jobs.noteRepository(...given)),
    noteLimited: (...given) => time.while(() => jobs.noteLimited(...given)),
    listLimited: (...given) => time.while(() => jobs.listLimited(...given)),
    listWaiting: (...given) => time.while(() => jobs.listWaiting(...given)),
    getMany: (...given) => time.while(() => jobs.getMany(...given)),
    listRepositories: (...given) => time.while(() => jobs.listRepositories(...given)),
    readLooks: (...given) => time.while(() => jobs.readLooks(...given)),
    keepLook: (...given) => time.while(() => jobs.keepLook(...given)),
  };
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

/** Makes an empty simulated clusters table. */
export function makeSimulatedClusterStates(): ClusterStates {
  const { core, invocation, time } = makeWorld();
  const states = simulatedClusterStates(new ClustersTable(core, () => undefined), invocation);
  return {
    get: (cluster) => time.while(() => states.get(cluster)),
    list: () => time.while(() => states.list()),
    report: (report) => time.while(() => states.report(report)),
  };
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
