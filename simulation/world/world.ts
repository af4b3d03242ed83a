import type * as z from 'zod';
import type { WarmAgents } from '../../core/agent/warm-agents.ts';
import type { RunnerProvider } from '../../core/ci/ci-system-config.ts';
import { isPolled } from '../../core/ci/ci-systems.ts';
import type { FailingDelivery } from '../../core/ci/failing-delivery.ts';
import type { RoundCursor } from '../../core/ci/round-cursor.ts';
import type { Profile } from '../../core/config/config.ts';
import { TransientError } from '../../core/errors/errors.ts';
import { stoppedByDavit } from '../../core/launch/execution-ending.ts';
import { isOver, type LaunchRecord, liveStatuses } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { labelKeys } from '../../core/launch/names.ts';
import { planLaunch } from '../../core/launch/plan-launch.ts';
import { holderOf } from '../../core/limits/slot-holder.ts';
import { probeLimits } from '../../functions/probe/probe-limits.ts';
import { reconcileTotalMs } from '../../functions/reconcile/reconcile-deps.ts';
import { RegisterRunnerInput, RegisterRunnerOutput } from '../../functions/register-runner/register-runner.ts';
import { sweepLimits } from '../../functions/sweep/sweep-run.ts';
import { readDefinition } from '../../local/machine/definition.ts';
import { createClusterReporter } from '../../logic/cluster-reports/cluster-reporter.ts';
import { reportCalls } from '../../logic/cluster-reports/report-calls.ts';
import { createSystemPace } from '../../logic/pace/system-pace.ts';
import { tracedCiSystem } from '../../logic/traces/traced-ci-system.ts';
import type { StoredCursor } from '../../ports/poll-cursors.ts';
import { SimulatedAgent } from './agent.ts';
import { ApiServer, named } from './api-server.ts';
import { ciSystemOf, installationId } from './ci-port.ts';
import { CiQueue, isSize } from './ci-queue.ts';
import { ciRepository } from './ci-server.ts';
import { clusterOf, healthOf, type SimulatedCluster } from './cluster-port.ts';
import { ClustersTable, simulatedClusterStates } from './clusters-table.ts';
import type { Core } from './core.ts';
import { CreateOutages } from './create-outages.ts';
import { simulatedCredentials } from './credentials.ts';
import type { Davit, SimulatedDeps } from './davit.ts';
import { SimulatedExecutions } from './executions.ts';
import { Gateway } from './gateway.ts';
import type { WarmPool } from './history.ts';
import { Invocation } from './invocation.ts';
import { simulatedInvokeLater } from './invoke-later.ts';
import { JobsTable, simulatedJobs } from './jobs-table.ts';
import { SimulatedLambda } from './lambda.ts';
import { LaunchesTable, simulatedLaunches, simulatedRegistrations } from './launches-table.ts';
import { LostJobsTable, simulatedLostJobs } from './lost-jobs-table.ts';
import { SimulatedNamespace } from './namespace.ts';
import { SimulatedNode } from './node.ts';
import { Outside } from './outside.ts';
import { Processes } from './processes.ts';
import { clusterNames, profiles, warmLifetimeSeconds, warmPools } from './profiles.ts';
import { Random, seedOf } from './random.ts';
import { RequestPaceTable, simulatedRequestPace } from './request-pace-table.ts';
import { SimulatedSecretsManager } from './secrets-manager.ts';
import { SlotsTable, simulatedSlots } from './slots-table.ts';
import { simulatedTokens, TokensTable } from './tokens-table.ts';
import { isOfRepository } from './warm.ts';
import { watchedPoll } from './watched-poll.ts';

const definition = readDefinition();

/** How long a sweep leaves a new launch to the process that requested it. */
export const graceSeconds = 60;

/** The most probes of a run, so that it ends even if a cluster stays away. */
const mostProbes = 30;

async function nobodyAsks(): Promise<never> {
  throw new TypeError('no profile of this world asks for this');
}

/** How many agents that join the queue there may be at once. */
export interface MaxAgents {
  ofProfile: number;
  ofOrganization: number;
}

/** The parts of a run's config besides its profiles, and whether its jobs ask for sizes. */
export interface Wishes {
  /** Undefined without limits. */
  maxAgents: MaxAgents | undefined;
  /** How many warm agents a pool has, until some rounds after all faults have ended. */
  warm: number;
  /** Whether some jobs of the queue ask for sizes. */
  isSized: boolean;
  /** The kind of the queue's CI system; undefined for one that sends webhooks of its jobs, by the seed. */
  ci: RunnerProvider | undefined;
  /** How long the profiles hold the Pod of a failed launch, in seconds; 0: they do not. */
  holdFailedSeconds: number;
}

/** How long a function may hold a slot before it has requested its launch, in milliseconds. */
const takenMs = 30_000;

/** How long nothing polls, in milliseconds, once the poller is dead. */
const pollerDeadMs = 300_000;

/** How often connect looks for a summons, in milliseconds: seldom, because each look is an event of the run. */
const standbyLookMs = 5000;

/** For how many rounds after the last fault the config asks for warm agents. */
const warmRounds = 14;

/** A mutant's changes of davit. */
export interface Mutation {
  /** Replaces parts of the logic. */
  logic?: (davit: Davit) => Davit;
  /** Replaces the functions' dependencies. The world allows actions that no port allows davit. */
  deps?: (deps: SimulatedDeps, world: World, invocation: Invocation) => SimulatedDeps;
}

/** Everything in one run. */
export class World {
  readonly core: Core;
  readonly launches: LaunchesTable;
  readonly tokens: TokensTable;
  readonly jobs: JobsTable;
  readonly slots: SlotsTable;
  readonly lostJobs = new LostJobsTable();
  readonly queue: CiQueue;
  readonly clusterStates: ClustersTable;
  readonly clusters: ReadonlyMap<string, SimulatedCluster>;
  readonly secretsManager: SimulatedSecretsManager;
  readonly lambda: SimulatedLambda;
  readonly executions: SimulatedExecutions;
  readonly outside: Outside;
  readonly #mutation: Mutation;
  readonly #processes: Processes;
  readonly #maxAgents: MaxAgents | undefined;
  readonly #agentLimits: SimulatedDeps['agentLimits'];
  #profiles: readonly Profile[];
  readonly #hasWarm: boolean;
  readonly #holdFailedSeconds: number;
  #warm: number;
  #calmRounds = 0;
  /** As davit has noted it. */
  #clockAheadMs: number | undefined;
  #cursor: RoundCursor | undefined;
  readonly #requestPace = new RequestPaceTable();
  #polled: StoredCursor = { cursor: { open: [] }, revision: 0 };
  #pollsFromEpochMs = 0;
  readonly #failing = new Map<string, FailingDelivery>();
  #credentials = 0;
  #isProbing = false;
  #probesLeft = mostProbes;

  constructor(core: Core, seed: number, logic: Davit, mutation: Mutation, wishes: Wishes) {
    const { maxAgents, warm, isSized, ci, holdFailedSeconds } = wishes;
    this.#holdFailedSeconds = holdFailedSeconds;
    this.core = core;
    this.#maxAgents = maxAgents;
    this.#agentLimits =
      maxAgents === undefined
        ? []
        : [{ repositories: [`${ciRepository.owner}/${ciRepository.name}`], maxAgents: maxAgents.ofOrganization }];
    this.#hasWarm = warm > 0;
    this.#warm = warm;
    core.history.add({ kind: 'warmWanted', agents: warm });
    this.#mutation = mutation;
    this.launches = new LaunchesTable(core, (launchId) => this.#admit(launchId));
    this.tokens = new TokensTable(core);
    this.jobs = new JobsTable(core);
    this.slots = new SlotsTable(core);
    this.clusterStates = new ClustersTable(core, () => this.#probeSoon());
    this.secretsManager = new SimulatedSecretsManager(core);
    this.#processes = new Processes(new Random(seedOf(seed, 'processes')), this.secretsManager);
    const mutated = mutation.logic?.(logic) ?? logic;
    this.lambda = new SimulatedLambda(core, (invocation, run) => run(mutated, this.#depsOf(invocation)));
    this.executions = new SimulatedExecutions(core, definition, this.lambda);
    const gateway = new Gateway(core, this.lambda);
    const choices = new Random(seedOf(seed, 'queue'));
    const sizes = isSized ? new Random(seedOf(seed, 'sizes')) : undefined;
    const sender = choices.pick(['github', 'gitea'] as const);
    this.queue = new CiQueue(core, choices, gateway, { provider: ci ?? sender, sizes });
    this.#profiles = this.#profilesNow();
    this.#noteRepository();
    this.clusters = new Map(clusterNames.map((name, index) => [name, this.#makeCluster(name, index, gateway)]));
    const { executions, secretsManager } = this;
    const placeOf = (launchId: string, profile: Profile) => this.#placeOf(launchId, profile);
    this.outside = new Outside(core, { gateway, placeOf, executions, secretsManager, sweep: () => this.sweep() });
  }

  get namespaces(): SimulatedNamespace[] {
    return [...this.clusters.values()].flatMap(({ namespaces }) => [...namespaces.values()]);
  }

  /** Ends all faults. */
  calm(): void {
    this.#noteRepository();
    this.core.faults.calm();
    for (const { server, creates } of this.clusters.values()) {
      server.outageUntilEpochMs = 0;
      creates.end();
    }
    this.queue.server.outageUntilEpochMs = 0;
    this.#probesLeft = mostProbes;
    this.#probeSoon();
  }

  /** Whether reconciling has anything left to do. */
  get isQueueAtWork(): boolean {
    return (
      this.queue.isAtWork ||
      this.liveAgents.length > 0 ||
      this.jobs.limited().length > 0 ||
      this.slots.all().length > 0 ||
      this.lostJobs.waiting.length > 0 ||
      this.#warm > 0
    );
  }

  /** The live launches whose agents join the queue. */
  get liveAgents(): LaunchRecord[] {
    return this.launches.all().filter(({ plan, status }) => plan?.join !== undefined && liveStatuses.includes(status));
  }

  /** Notes the jobs that wait for a slot, and the pool of the warm agents; ends the wish for them after some rounds. */
  noteCalmRound(): void {
    this.#calmRounds += 1;
    if (this.#calmRounds > warmRounds && this.#warm > 0) {
      this.#warm = 0;
      this.#profiles = this.#profilesNow();
      this.core.history.add({ kind: 'warmWanted', agents: 0 });
    }
    const waiting = this.jobs.limited().flatMap((job) => {
      const profile = this.#profiles
        .filter(({ runner }) => runner === this.queue.system.provider)
        .find((each) =>
          job.labels
            .flatMap((label) => label.split('&&'))
            .every((label) => isSize(label) || each.labels.includes(label)),
        );
      return job.limitedBy === undefined || profile === undefined
        ? []
        : [{ id: `${job.jobId}`, profile: profile.name, isWarm: this.#isOfWarmPool(profile.name, job.labels) }];
    });
    const warmPool = this.#warmPool();
    const spare = Math.max(0, warmPool.idle - warmPool.queued);
    const idsOf = (idle: number) =>
      waiting.filter(({ profile, isWarm }) => this.#hasRoom(profile, isWarm ? 0 : idle)).map(({ id }) => id);
    this.core.history.add({ kind: 'calmRound', waitingWithRoom: idsOf(0), waitingBehindIdle: idsOf(spare), warmPool });
  }

  /** The attempts that took a slot a while ago, and that no launch came of. */
  #slotsInVain(): string[] {
    const untilEpochMs = this.core.scheduler.nowEpochMs() - takenMs;
    return this.slots.all().flatMap(([holder, { launchId, takenAtEpochMs }]) => {
      const slots = this.launches.get(launchId)?.plan?.slots;
      const isHeld = slots !== undefined && holderOf(launchId, slots) === holder;
      return isHeld || takenAtEpochMs > untilEpochMs ? [] : [holder];
    });
  }

  get #warmProfile(): string | undefined {
    return warmPools[this.queue.server.provider];
  }

  /** Agents of a size are pools of their own, which have no warm agents. */
  #isOfWarmPool(profile: string | undefined, labels: readonly string[]): boolean {
    return profile === this.#warmProfile && !labels.some(isSize);
  }

  /** The agents of the warm pool that run nothing and are wanted. */
  get #idleAgents(): LaunchRecord[] {
    return this.liveAgents
      .filter(({ plan }) => this.#isOfWarmPool(plan?.profile, plan?.join?.labels ?? []))
      .filter(({ runs, retiring }) => runs === undefined && retiring === undefined);
  }

  #warmPool(): WarmPool {
    const queued = this.queue.server.jobs.filter(
      ({ status, labels }) => status === 'queued' && labels.includes('small') && !labels.some(isSize),
    );
    return { wanted: this.#warm, idle: this.#idleAgents.length, queued: queued.length };
  }

  /** @param idle how many idle warm agents not to count, of those that a limit counts */
  #hasRoom(profile: string, idle: number): boolean {
    const { ofProfile = Infinity, ofOrganization = Infinity } = this.#maxAgents ?? {};
    const open = this.launches.all().filter((record) => record.plan?.join !== undefined && !isOver(record));
    const ofOrganizationNow = countOfRepository(open) - Math.min(idle, countOfRepository(this.#idleAgents));
    const warmOfIt = profile === this.#warmProfile ? idle : 0;
    const ofProfileNow = open.filter(({ plan }) => plan?.profile === profile).length - warmOfIt;
    return ofOrganizationNow < ofOrganization && ofProfileNow < ofProfile;
  }

  #profilesNow(): readonly Profile[] {
    const { ofProfile } = this.#maxAgents ?? {};
    return profiles.map((profile) => ({
      ...profile,
      ...(ofProfile === undefined || profile.runner === undefined ? {} : { maxAgents: ofProfile }),
      ...(this.#holdFailedSeconds === 0 ? {} : { holdFailedSeconds: this.#holdFailedSeconds }),
      ...(profile.name === this.#warmProfile && this.#hasWarm
        ? { warm: this.#warmAgents, maxAgentLifetimeSeconds: warmLifetimeSeconds }
        : {}),
    }));
  }

  get #warmAgents(): WarmAgents {
    const { owner, name } = ciRepository;
    return { agents: this.#warm, organizations: [owner], repositories: [`${owner}/${name}`] };
  }

  /** Invokes admit, as publish-events does when the table's stream shows that a launch is over. */
  #admit(launchId: string): void {
    this.lambda.invokeLater('admit', launchId, (logic, deps) => logic.admit(deps, { launchId }));
  }

  /** Runs a reconcile with the queue, as its schedule does. */
  reconcile(): void {
    const holders = this.#slotsInVain();
    if (holders.length > 0) this.core.history.add({ kind: 'slotsInVain', holders });
    if (this.#maxAgents !== undefined && this.core.faults.hits('slotLost', undefined)) {
      this.slots.loseOne(this.core.random);
    }
    this.lambda.invokeLater('reconcile', 'reconcile', (logic, deps) => logic.reconcile(deps));
  }

  /** Polls the queue for a minute, as the schedule of polls does. */
  poll(): void {
    if (!isPolled(this.queue.system)) return;
    const { faults, scheduler } = this.core;
    if (faults.hits('pollerDead', undefined)) this.#pollsFromEpochMs = scheduler.nowEpochMs() + pollerDeadMs;
    if (scheduler.nowEpochMs() < this.#pollsFromEpochMs) return;
    const watched = { system: this.queue.system, jobs: this.jobs, history: this.core.history };
    this.lambda.invokeLater('poll-ci', 'poll-ci', (logic, deps) => watchedPoll(watched, logic, deps));
  }

  /** Runs a sweep soon, as its schedule does. */
  sweep(): void {
    const { history, scheduler } = this.core;
    this.lambda.invokeLater('sweep', 'sweep', async (logic, deps) => {
      const beganAtEpochMs = scheduler.nowEpochMs();
      const report = await logic.sweep(deps, { dryRun: false, graceSeconds });
      if (report.complete) history.add({ kind: 'sweptAll', beganAtEpochMs });
      return report;
    });
  }

  /**
   * Makes davit remember the repository, as if it had sent an event of another job: davit forgets a repository that
   * sends nothing for a day.
   */
  #noteRepository(): void {
    const { id: _id, ...repository } = ciRepository;
    const place = { repository, organization: this.queue.organization };
    this.jobs.putRepository(this.queue.system.name, place, this.core.scheduler.nowEpochMs());
  }

  /**
   * Makes davit probe the clusters within a minute, as its schedule does, for as long as calls to a cluster fail, or
   * creates in a namespace there. While all clusters are well, a probe would change nothing.
   */
  #probeSoon(): void {
    if (this.#isProbing || !this.#isOneInTrouble) return;
    this.#isProbing = true;
    const { random, scheduler } = this.core;
    scheduler.after(random.between(1000, 60_000), () => this.#probe());
  }

  #probe(): void {
    this.#isProbing = this.#probesLeft > 0 && this.#isOneInTrouble;
    if (!this.#isProbing) return;
    this.#probesLeft -= 1;
    if (this.#probesLeft === 0) this.core.history.add({ kind: 'probedLast' });
    this.lambda.invokeLater('probe', 'probe', (logic, deps) => logic.probe({ ...deps, totalMs: probeLimits.totalMs }));
    this.core.scheduler.after(60_000, () => this.#probe());
  }

  get #isOneInTrouble(): boolean {
    return this.clusterStates.isOneInTrouble || [...this.clusters.values()].some(({ creates }) => creates.isOneOn);
  }

  #makeCluster(name: string, number: number, gateway: Gateway): SimulatedCluster {
    const server = new ApiServer(name, number);
    const names = new Set(profiles.map(({ namespace }) => namespace));
    const namespaces = new Map([...names].map((each) => [each, this.#makeNamespace(server, gateway)]));
    return { server, namespaces, creates: new CreateOutages(this.core, name, () => this.#probeSoon()) };
  }

  #makeNamespace(server: ApiServer, gateway: Gateway): SimulatedNamespace {
    const namespace = new SimulatedNamespace(this.core, server);
    const node = new SimulatedNode(this.core, namespace, (pod, manifest, exit) => {
      const { name, labels } = pod.metadata;
      if (labels?.[labelKeys.managedBy] !== 'davit') return { kill: () => undefined, failJob: () => undefined };
      const agent = new SimulatedAgent(this.core, { gateway, ci: this.queue.server }, pod, manifest, exit);
      namespace.logs.set(name, agent.log);
      return agent;
    });
    namespace.join(node);
    return namespace;
  }

  /** Invokes register-runner and waits for it. A dead run gets no answer. */
  async #register(
    invocation: Invocation,
    input: z.infer<typeof RegisterRunnerInput>,
  ): Promise<z.infer<typeof RegisterRunnerOutput>> {
    return new Promise((resolve, reject) => {
      this.lambda.invoke(
        'register-runner',
        input.launchId,
        async (logic, given) =>
          RegisterRunnerOutput.parse(await logic.registerRunner(given, RegisterRunnerInput.parse(input))),
        (outcome) => {
          if (!invocation.alive) return;
          if ('output' in outcome) resolve(outcome.output);
          else reject(new TransientError('StoreUnavailable', `Lambda Invoke register-runner: ${outcome.error}`));
        },
      );
    });
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
    const deps: SimulatedDeps = {
      openCluster: async (name) => clusterOf(named(this.clusters, name), invocation),
      openHealth: async (name) => healthOf(named(this.clusters, name), invocation),
      clusterStates: simulatedClusterStates(this.clusterStates, invocation),
      launches: simulatedLaunches(this.launches, invocation),
      registrations: simulatedRegistrations(this.launches, invocation),
      jobs: simulatedJobs(this.jobs, invocation),
      slots: simulatedSlots(this.slots, invocation),
      agentLimits: this.#agentLimits,
      ciSystems: [this.queue.system],
      ciSystemOf: (ciSystem) => {
        const by = invocation.functionName;
        const system = ciSystemOf(this.queue.server, this.queue, invocation);
        return tracedCiSystem(system, { ciSystem, by }, (written) => this.core.history.trace(() => written));
      },
      installationId,
      registrar: { register: (agent, nonce) => this.#register(invocation, { ...agent, nonce }) },
      invokeLater: simulatedInvokeLater(this.core, this.lambda, invocation),
      // No profile of this world reports on commits why a job waits.
      spending: { get: async () => undefined, keep: nobodyAsks },
      pace: createSystemPace({
        ciSystems: [this.queue.system],
        requestPace: simulatedRequestPace(this.#requestPace, invocation),
        nowEpochMs: invocation.nowEpochMs,
      }),
      cursors: {
        get: () => invocation.reads('store', () => this.#cursor),
        keep: (_ciSystem, cursor) =>
          invocation.writes('store', () => {
            this.#cursor = cursor;
          }),
      },
      pollCursors: {
        get: () => invocation.reads('store', () => structuredClone(this.#polled)),
        keep: (_ciSystem, cursor, revision) =>
          invocation.writes('store', () => {
            if (this.#polled.revision !== revision) return undefined;
            this.#polled = { cursor: structuredClone(cursor), revision: revision + 1 };
            return revision + 1;
          }),
      },
      failingDeliveries: {
        list: () =>
          invocation.reads('store', () => [...this.#failing.values()].filter(({ isSettled }) => isSettled !== true)),
        keep: (_ciSystem, delivery) =>
          invocation.writes('store', () => void this.#failing.set(delivery.guid, delivery)),
      },
      ciClocks: {
        get: () => invocation.reads('store', () => this.#clockAheadMs),
        keep: (_ciSystem, aheadMs) =>
          invocation.writes('store', () => {
            this.core.history.add({ kind: 'clockKept' });
            this.#clockAheadMs = aheadMs;
          }),
      },
      lost: simulatedLostJobs(this.lostJobs, invocation),
      told: { listPending: async () => new Map() },
      newNonce: () => this.#newCredentialId(),
      standbyLookMs,
      tokens: simulatedTokens(this.tokens, invocation),
      executions: {
        start: (plan: LaunchPlan) =>
          invocation.writes('states', () => this.executions.start(plan, invocation.functionName)),
        stop: (launchId, cause) =>
          invocation.writes('states', () => this.executions.stop(launchId, stoppedByDavit, cause)),
        status: (launchId) => invocation.reads('states', () => this.executions.status(launchId)),
        running: () => invocation.reads('states', () => this.executions.running()),
      },
      secretsOf,
      credentials: simulatedCredentials(secretsOf, invocation.nowEpochMs),
      newCredentialId: () => this.#newCredentialId(),
      clusters: [...new Set(this.#profiles.flatMap(({ clusters }) => clusters))],
      profiles: this.#profiles,
      limits: sweepLimits,
      totalMs: reconcileTotalMs,
      random: () => this.core.random.between(0, 1),
      log: { error: () => undefined },
      sleep: (ms) => invocation.sleepMs(ms),
      publicUrl: 'https://davit.example',
      sleepMs: invocation.sleepMs,
      nowEpochMs: invocation.nowEpochMs,
    };
    const { clusterStates, openCluster, ...others } = this.#mutation.deps?.(deps, this, invocation) ?? deps;
    const { nowEpochMs } = invocation;
    const reporter = createClusterReporter({ clusterStates, log: { warn: () => undefined }, nowEpochMs });
    return { ...others, clusterStates, openCluster: reportCalls(openCluster, { reporter, nowEpochMs }) };
  }
}

function countOfRepository(launches: readonly LaunchRecord[]): number {
  return launches.filter(({ plan }) => plan !== undefined && isOfRepository(plan)).length;
}
