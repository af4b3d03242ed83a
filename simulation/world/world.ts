import type { Profile } from '../../functions/domain/config.ts';
import { stoppedByDavit } from '../../functions/domain/execution-ending.ts';
import type { LaunchPlan } from '../../functions/domain/launch-state.ts';
import { labelKeys } from '../../functions/domain/names.ts';
import { planLaunch } from '../../functions/domain/plan-launch.ts';
import type { SigningSecrets } from '../../functions/ports/signing-secrets.ts';
import { sweepLimits } from '../../functions/sweep/sweep-run.ts';
import { SimulatedAgent } from './agent.ts';
import { ApiServer, named } from './api-server.ts';
import { clusterOf, type SimulatedCluster } from './cluster-port.ts';
import type { Core } from './core.ts';
import { simulatedCredentials } from './credentials.ts';
import { type Davit, runStep, type SimulatedDeps } from './davit.ts';
import { readDefinition } from './definition.ts';
import { SimulatedExecutions } from './executions.ts';
import { Gateway } from './gateway.ts';
import { Invocation } from './invocation.ts';
import { SimulatedLambda } from './lambda.ts';
import { LaunchesTable, SimulatedLaunches } from './launches-table.ts';
import { SimulatedNamespace } from './namespace.ts';
import { SimulatedNode } from './node.ts';
import { Outside } from './outside.ts';
import { Processes } from './processes.ts';
import { clusterNames, profiles } from './profiles.ts';
import { Random, seedOf } from './random.ts';
import { simulatedRegistrations } from './registrations.ts';
import { SimulatedSecretsManager, signingSecrets } from './secrets-manager.ts';
import { SimulatedTokens, TokensTable } from './tokens-table.ts';

const definition = readDefinition();

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
  readonly clusters: ReadonlyMap<string, SimulatedCluster>;
  readonly secretsManager: SimulatedSecretsManager;
  readonly lambda: SimulatedLambda;
  readonly executions: SimulatedExecutions;
  readonly outside: Outside;
  readonly #mutation: Mutation;
  readonly #processes: Processes;
  #credentials = 0;

  constructor(core: Core, seed: number, logic: Davit, mutation: Mutation) {
    this.core = core;
    this.#mutation = mutation;
    this.launches = new LaunchesTable(core);
    this.tokens = new TokensTable(core);
    this.secretsManager = new SimulatedSecretsManager(core);
    this.#processes = new Processes(new Random(seedOf(seed, 'processes')), this.secretsManager);
    const mutated = mutation.logic?.(logic) ?? logic;
    this.lambda = new SimulatedLambda(core, (invocation, run) => run(mutated, this.#depsOf(invocation)));
    this.executions = new SimulatedExecutions(core, definition, this.lambda);
    const gateway = new Gateway(this.lambda);
    this.clusters = new Map(clusterNames.map((name, index) => [name, this.#makeCluster(name, index, gateway)]));
    const { executions, secretsManager } = this;
    const placeOf = (launchId: string, profile: Profile) => this.#placeOf(launchId, profile);
    this.outside = new Outside(core, { gateway, placeOf, executions, secretsManager, sweep: () => this.sweep() });
  }

  /** Every namespace of every cluster. */
  get namespaces(): SimulatedNamespace[] {
    return [...this.clusters.values()].flatMap(({ namespaces }) => [...namespaces.values()]);
  }

  /** From now on nothing goes wrong. */
  calm(): void {
    this.core.faults.calm();
    for (const { server } of this.clusters.values()) server.outageUntilEpochMs = 0;
  }

  /** Has a sweep run soon, as its schedule does. */
  sweep(): void {
    this.lambda.invokeLater('sweep', 'sweep', (logic, deps) => logic.sweep(deps, { dryRun: false, graceSeconds }));
  }

  #makeCluster(name: string, number: number, gateway: Gateway): SimulatedCluster {
    const server = new ApiServer(name, number);
    const names = new Set(profiles.map(({ namespace }) => namespace));
    return { server, namespaces: new Map([...names].map((each) => [each, this.#makeNamespace(server, gateway)])) };
  }

  #makeNamespace(server: ApiServer, gateway: Gateway): SimulatedNamespace {
    const namespace = new SimulatedNamespace(this.core, server);
    const node = new SimulatedNode(this.core, namespace, (pod, manifest, exit) => {
      const { name, labels } = pod.metadata;
      if (labels?.[labelKeys.managedBy] !== 'davit') return { kill: () => undefined };
      const agent = new SimulatedAgent(this.core, gateway, pod, manifest, exit);
      namespace.logs.set(name, agent.log);
      return agent;
    });
    namespace.join(node);
    return namespace;
  }

  #newCredentialId(): string {
    this.#credentials += 1;
    return `00000000-0000-4000-8000-${String(this.#credentials).padStart(12, '0')}`;
  }

  #placeOf(launchId: string, profile: Profile): SimulatedNamespace {
    const { cluster, namespace } = planLaunch(profile, { launchId }, this.core.scheduler.nowEpochMs());
    return named(named(this.clusters, cluster).namespaces, namespace);
  }

  #depsOf(invocation: Invocation): SimulatedDeps {
    const secretsOf = this.#processes.signingOf(invocation);
    const keys: SigningSecrets = {
      accepted: () => secretsOf(signingSecrets.credentials).accepted(),
      refreshed: () => secretsOf(signingSecrets.credentials).refreshed(),
    };
    const deps: SimulatedDeps = {
      openCluster: async (name) => clusterOf(named(this.clusters, name), invocation),
      launches: new SimulatedLaunches(this.launches, invocation),
      registrations: simulatedRegistrations(this.launches, invocation),
      // No profile of this world joins a CI system, so nobody asks.
      registrar: {
        register: async ({ launchId }) => {
          throw new TypeError(`${launchId} joins no CI system`);
        },
      },
      retirements: {
        request: async ({ launchId }) => {
          throw new TypeError(`${launchId} joins no CI system`);
        },
      },
      newNonce: () => this.#newCredentialId(),
      tokens: new SimulatedTokens(this.tokens, invocation),
      executions: {
        start: (plan: LaunchPlan) => invocation.writes('states', () => this.executions.start(plan)),
        stop: (launchId, cause) =>
          invocation.writes('states', () => this.executions.stop(launchId, stoppedByDavit, cause)),
        status: (launchId) => invocation.reads('states', () => this.executions.status(launchId)),
        running: () => invocation.reads('states', () => this.executions.running()),
      },
      cleanUps: {
        request: (launchId) =>
          invocation.writes('states', () =>
            this.lambda.invokeLater('clean-up', launchId, runStep('clean-up', { launchId })),
          ),
      },
      secretsOf,
      credentials: simulatedCredentials(keys, invocation.nowEpochMs),
      newCredentialId: () => this.#newCredentialId(),
      profiles,
      limits: sweepLimits,
      publicUrl: 'https://davit.example',
      sleepMs: invocation.sleepMs,
      nowEpochMs: invocation.nowEpochMs,
    };
    return this.#mutation.deps?.(deps, this, invocation) ?? deps;
  }
}
