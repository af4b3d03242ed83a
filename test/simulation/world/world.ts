import { Profile } from '../../../functions/domain/config.ts';
import type { LaunchPlan } from '../../../functions/domain/launch-state.ts';
import { labelKeys } from '../../../functions/domain/names.ts';
import { sweepLimits } from '../../../functions/sweep/sweep-run.ts';
import { SimulatedAgent } from './agent.ts';
import { agentPort, SimulatedCluster } from './cluster.ts';
import { clusterOf } from './cluster-port.ts';
import type { Core } from './core.ts';
import { SimulatedCredentials } from './credentials.ts';
import { type Davit, runStep, type SimulatedDeps } from './davit.ts';
import { readDefinition } from './definition.ts';
import { SimulatedExecutions } from './executions.ts';
import { Gateway } from './gateway.ts';
import { Invocation } from './invocation.ts';
import { SimulatedLambda } from './lambda.ts';
import { LaunchesTable, SimulatedLaunches } from './launches-table.ts';
import { SimulatedNode } from './node.ts';
import { Outside } from './outside.ts';
import { SimulatedTokens, TokensTable } from './tokens-table.ts';

const definition = readDefinition();

/** How long each wait of a launch may take: short enough for each of them to pass in a run. */
export const deadlines = {
  serviceSeconds: 60,
  nodePortSeconds: 40,
  podSeconds: 60,
  placementSeconds: 120,
  publishSeconds: 30,
  connectSeconds: 90,
};

/** One profile whose agents are dialled, and one whose agents dial out. */
export const profiles = ['nodePort', 'none'].map((expose) =>
  Profile.parse({
    name: expose === 'none' ? 'dial-out' : 'dialled',
    labels: [expose === 'none' ? 'dial-out' : 'dialled'],
    clusters: ['sandbox'],
    namespace: 'agents',
    expose,
    agentPort,
    deadlines,
    template: { spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] } },
  }),
);

const graceSeconds = 60;

/** What a mutant changes of davit. */
export interface Mutation {
  /** Replaces parts of the logic. */
  logic?: (davit: Davit) => Davit;
  /** Replaces what the functions are given; the world is there for what no port lets davit do. */
  deps?: (deps: SimulatedDeps, world: World, invocation: Invocation) => SimulatedDeps;
}

/** Everything there is in one run. */
export class World {
  readonly core: Core;
  readonly launches: LaunchesTable;
  readonly tokens: TokensTable;
  readonly cluster: SimulatedCluster;
  readonly credentials: SimulatedCredentials;
  readonly lambda: SimulatedLambda;
  readonly executions: SimulatedExecutions;
  readonly outside: Outside;
  readonly #mutation: Mutation;

  constructor(core: Core, logic: Davit, mutation: Mutation) {
    this.core = core;
    this.#mutation = mutation;
    this.launches = new LaunchesTable(core);
    this.tokens = new TokensTable(core);
    this.cluster = new SimulatedCluster(core);
    this.credentials = new SimulatedCredentials(core);
    const mutated = mutation.logic?.(logic) ?? logic;
    this.lambda = new SimulatedLambda(core, (invocation, run) => run(mutated, this.#depsOf(invocation)));
    this.executions = new SimulatedExecutions(core, definition, this.lambda);
    const gateway = new Gateway(this.lambda);
    this.cluster.join(
      new SimulatedNode(core, this.cluster, (pod, manifest, exit) => {
        const { name, labels } = pod.metadata;
        if (labels?.[labelKeys.managedBy] !== 'davit') return { kill: () => undefined };
        const agent = new SimulatedAgent(core, gateway, pod, manifest, exit);
        this.cluster.logs.set(name, agent.log);
        return agent;
      }),
    );
    const { cluster, executions, credentials } = this;
    this.outside = new Outside(core, { gateway, cluster, executions, credentials, sweep: () => this.sweep() });
  }

  /** Has a sweep run soon, as its schedule does. */
  sweep(): void {
    this.lambda.invokeLater('sweep', 'sweep', (logic, deps) => logic.sweep(deps, { dryRun: false, graceSeconds }));
  }

  #depsOf(invocation: Invocation): SimulatedDeps {
    const cluster = clusterOf(this.cluster, invocation);
    const deps: SimulatedDeps = {
      openCluster: async () => cluster,
      launches: new SimulatedLaunches(this.launches, invocation),
      tokens: new SimulatedTokens(this.tokens, invocation),
      executions: {
        start: (plan: LaunchPlan) => invocation.writes('states', () => this.executions.start(plan)),
        stop: (launchId, cause) =>
          invocation.writes('states', () => this.executions.stop(launchId, 'Terminated', cause)),
        status: (launchId) => invocation.reads('states', () => this.executions.status(launchId)),
        running: () => invocation.reads('states', () => this.executions.running()),
      },
      cleanUps: {
        request: (launchId) =>
          invocation.writes('states', () =>
            this.lambda.invokeLater('clean-up', launchId, runStep('clean-up', { launchId })),
          ),
      },
      credentials: this.credentials,
      newCredentialId: () => this.credentials.newId(),
      profiles,
      limits: sweepLimits,
      publicUrl: 'https://davit.example',
      sleepMs: invocation.sleepMs,
      nowEpochMs: invocation.nowEpochMs,
    };
    return this.#mutation.deps?.(deps, this, invocation) ?? deps;
  }
}
