import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { kindsOf } from '../../adapters/aws/create-event-bus.ts';
import { createJoseIssuer, createJoseVerifier } from '../../adapters/jose/jose-credentials.ts';
import { whereExposed } from '../../adapters/kubernetes/where-exposed.ts';
import { openCiSystems } from '../../ci/open-ci-systems.ts';
import type { Config } from '../../core/config/config.ts';
import { clusterDetails, clusterSource } from '../../core/events/cluster-events.ts';
import { JobRefused, jobSource } from '../../core/events/job-events.ts';
import { lifecycleDetails, lifecycleSource } from '../../core/events/lifecycle-events.ts';
import { JobsWaitForSlots } from '../../core/events/limit-event.ts';
import { RepairMade, repairSource } from '../../core/events/repair-event.ts';
import { SweepReported, sweepSource } from '../../core/events/sweep-event.ts';
import type { InvokedEvents } from '../../core/invoked-events.ts';
import { RegistrationOutcome } from '../../core/launch/registration-outcome.ts';
import * as z from '../../core/zod.ts';
import { AdmitInput, admit } from '../../functions/admit/admit.ts';
import { CleanUpInput, CleanUpOutput, cleanUp, launchIdOfInput } from '../../functions/clean-up/clean-up.ts';
import { reportObserver } from '../../functions/clean-up/report-observer.ts';
import { answerClusters } from '../../functions/clusters/clusters.ts';
import { answerConnect } from '../../functions/connect/connect.ts';
import { CreatePodInput, CreatePodOutput, createPod } from '../../functions/create-pod/create-pod.ts';
import {
  CreateServiceInput,
  CreateServiceOutput,
  createService,
} from '../../functions/create-service/create-service.ts';
import description from '../../functions/describe-api/openapi.json' with { type: 'json' };
import { answerJobs } from '../../functions/jobs/jobs.ts';
import { answerLaunches } from '../../functions/launches/launches.ts';
import { PollCiInput, PollCiReport, pollCi } from '../../functions/poll-ci/poll-ci.ts';
import { PollHostIPInput, PollHostIPOutput, pollHostIP } from '../../functions/poll-host-ip/poll-host-ip.ts';
import { PollNodePortInput, PollNodePortOutput, pollNodePort } from '../../functions/poll-node-port/poll-node-port.ts';
import { ProbeInput, ProbeReport, probe } from '../../functions/probe/probe.ts';
import { probeLimits } from '../../functions/probe/probe-limits.ts';
import { publishProbe } from '../../functions/probe/publish-probe.ts';
import {
  PublishEventsInput,
  PublishEventsOutput,
  publishEvents,
} from '../../functions/publish-events/publish-events.ts';
import { watchLaunches } from '../../functions/publish-events/watch-launches.ts';
import { PublishTokenOutput, publishToken } from '../../functions/publish-token/publish-token.ts';
import { PublishTokenInput } from '../../functions/publish-token/publish-token-input.ts';
import { publishReport as publishReconcile } from '../../functions/reconcile/publish-report.ts';
import { ReconcileInput, reconcile } from '../../functions/reconcile/reconcile.ts';
import { reconcileTotalMs } from '../../functions/reconcile/reconcile-deps.ts';
import { ReconcileReport } from '../../functions/reconcile/reconcile-report.ts';
import {
  RegisterRunnerInput,
  RegisterRunnerOutput,
  registerRunner,
} from '../../functions/register-runner/register-runner.ts';
import { RelaunchInput, RelaunchOutput, relaunch } from '../../functions/relaunch/relaunch.ts';
import { ReportToCiInput, ReportToCiOutput, reportToCi } from '../../functions/report-to-ci/report-to-ci.ts';
import { RetireRunnerInput, RetireRunnerOutput, retireRunner } from '../../functions/retire-runner/retire-runner.ts';
import { logReport } from '../../functions/sweep/log-report.ts';
import { publishReport as publishSweep } from '../../functions/sweep/publish-report.ts';
import { SweepInput, sweep } from '../../functions/sweep/sweep.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { sweepLimits } from '../../functions/sweep/sweep-run.ts';
import { countRefused } from '../../functions/webhook/count-refused.ts';
import { answerWebhook } from '../../functions/webhook/webhook.ts';
import { createClusterReporter } from '../../logic/cluster-reports/cluster-reporter.ts';
import { reportCalls } from '../../logic/cluster-reports/report-calls.ts';
import { createSystemPace } from '../../logic/pace/system-pace.ts';
import { registrationsIn } from '../../logic/records/registrations-in.ts';
import { tracedCiSystem } from '../../logic/traces/traced-ci-system.ts';
import { tracedExecutions } from '../../logic/traces/traced-executions.ts';
import type { OpenClusterHealth } from '../../ports/cluster.ts';
import type { Executions } from '../../ports/executions.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import { type EventFunction, eventHandler } from '../../runtime/event-handler.ts';
import { ciRequestMs, type FunctionName } from '../../runtime/function-settings.ts';
import { revalidatedAnswer } from '../../runtime/http/answer.ts';
import { type HttpLogic, httpHandler } from '../../runtime/http/http-handler.ts';
import { logger } from '../../runtime/logger.ts';
import { metrics } from '../../runtime/metrics/metrics.ts';
import { traceWrites } from '../../runtime/trace-writes.ts';
import { warnUnreadableJob } from '../../runtime/warn-unreadable-job.ts';
import type { Store } from '../store/open-store.ts';
import { sqliteCiClocks, sqlitePollCursors, sqlitePollTurns, sqliteRoundMemory } from '../store/sqlite-ci-memory.ts';
import { sqliteClusterStates } from '../store/sqlite-cluster-states.ts';
import { sqliteJobs } from '../store/sqlite-jobs.ts';
import { sqliteLaunches } from '../store/sqlite-launches.ts';
import { sqliteRefusedWebhooks } from '../store/sqlite-refused-webhooks.ts';
import { sqliteRequestPace } from '../store/sqlite-request-pace.ts';
import type { LocalSecrets } from '../store/sqlite-secrets.ts';
import { sqliteSlots } from '../store/sqlite-slots.ts';
import { sqliteTokens } from '../store/sqlite-tokens.ts';
import type { EventBus } from './event-bus.ts';
import { credentialKeySecret } from './local-secrets.ts';
import type { ReachedClusters } from './reach-clusters.ts';
import { sleepUntil } from './sleep-until.ts';

/** How long connect waits between two looks for a summons, in milliseconds: in this process a look costs next to nothing. */
export const localStandbyLookMs = 100;

/** A function, as its callers run it: with what Lambda would give it. @throws what the function throws */
export type RunFunction = (event: unknown) => Promise<unknown>;

/** The functions' surroundings in one process. */
export interface Surroundings {
  config: Config;
  store: Store;
  secrets: LocalSecrets;
  executions: Executions;
  invokeLater: InvokeLater<keyof InvokedEvents>;
  /** Runs a function now, and waits for it. */
  invoke: (functionName: FunctionName, event: object) => Promise<unknown>;
  /** Runs a look for an agent when its turn comes. @throws PendingError ConnectPending when it does not come soon */
  observe: (look: () => Promise<void>) => Promise<void>;
  bus: EventBus;
  installationId: string;
  publicUrl: string;
  /** Aborted when davit stops: from then on, no function that waits goes on. */
  stopping: AbortSignal;
}

function http(name: FunctionName, logic: HttpLogic): RunFunction {
  const handler = httpHandler(logic, { name, logger, metrics });
  return (event) => handler(event as APIGatewayProxyEventV2);
}

function step<Input, Output>(given: EventFunction<Input, Output>): RunFunction {
  return eventHandler(given);
}

/**
 * Composes every function of davit's for one process: the same logic as on AWS, with adapters of its own.
 *
 * @see docs/adr/0031-one-process-keeps-what-it-knows-in-sqlite.md
 */
export function composeFunctions(surroundings: Surroundings): Readonly<Record<FunctionName, RunFunction>> {
  const { config, store, secrets, executions, invokeLater, bus, installationId, publicUrl } = surroundings;
  const { ciSystems, profiles, limits: agentLimits } = config;
  const nowEpochMs = Date.now;
  const sleep = sleepUntil(surroundings.stopping);

  const launches = sqliteLaunches(store, traceWrites);
  const registrations = registrationsIn(launches.records);
  const jobs = sqliteJobs(store, traceWrites, warnUnreadableJob);
  const slots = sqliteSlots(store, traceWrites);
  const tokens = sqliteTokens(store);
  const clusterStates = sqliteClusterStates(store, traceWrites);
  const ciClocks = sqliteCiClocks(store);
  const refusedWebhooks = sqliteRefusedWebhooks(store);
  const readInstallationId = async () => installationId;
  const openCi = openCiSystems({ systems: ciSystems, secrets, readInstallationId, timeoutMs: ciRequestMs });
  const ciSystemOf = (by: FunctionName) => (name: string) =>
    tracedCiSystem(openCi(name), { ciSystem: name, by }, traceWrites);
  const pace = createSystemPace({ ciSystems, requestPace: sqliteRequestPace(store), nowEpochMs });
  const keys = secrets.signing(credentialKeySecret);

  // Kubernetes' client takes a fifth of the start, and the first webhooks are answered without it.
  let reached: Promise<ReachedClusters> | undefined;
  const reach = () =>
    (reached ??= import('./reach-clusters.ts').then(({ reachClusters }) =>
      reachClusters(config.clusters, secrets, surroundings.stopping),
    ));
  const reporter = createClusterReporter({ clusterStates, log: logger, nowEpochMs });
  const open = whereExposed(async (name) => (await reach()).openCluster(name), profiles);
  const openCluster = reportCalls(open, { reporter, nowEpochMs });
  const openHealth: OpenClusterHealth = async (name) => (await reach()).openHealth(name);
  const credentials = { ...createJoseIssuer({ keys, nowEpochMs }), ...createJoseVerifier({ keys, nowEpochMs }) };
  const { spending, cursors, failingDeliveries, lost, told } = sqliteRoundMemory(store);

  const watchCluster = watchLaunches({ invokeLater, nowEpochMs });
  const launching = { launches, executions, invokeLater, traceHeader: () => undefined, nowEpochMs };
  const inCluster = { openCluster, clusterStates, launches, nowEpochMs };
  const forJobs = { ciSystems, profiles, agentLimits, jobs, slots, clusterStates, newNonce: randomUUID, nowEpochMs };
  const forRunners = { registrations, ciClocks, installationId };
  const published = {
    ...kindsOf(lifecycleSource, lifecycleDetails),
    ...kindsOf(clusterSource, clusterDetails),
    ...kindsOf(jobSource, { JobRefused }),
  };

  return {
    webhook: http(
      'webhook',
      countRefused({ ciSystems, refusedWebhooks, nowEpochMs }, (request) =>
        answerWebhook(
          { ...launching, ...forJobs, ...forRunners, pollTurns: sqlitePollTurns(store), secretsOf: secrets.signing },
          request,
        ),
      ),
    ),
    launches: http('launches', (request) =>
      answerLaunches({ ...launching, clusterStates, profiles, slots, newNonce: randomUUID }, request),
    ),
    clusters: http('clusters', (request) =>
      answerClusters(
        { clusters: config.clusters.map(({ name }) => name), profiles, clusterStates, launches, nowEpochMs },
        request,
      ),
    ),
    jobs: http('jobs', (request) =>
      answerJobs(
        { ciSystems, profiles, agentLimits, slots, jobs, launches, refusedWebhooks, cursors, nowEpochMs },
        request,
      ),
    ),
    connect: http('connect', (request) =>
      answerConnect(
        {
          tokens,
          launches,
          registrations,
          jobs,
          registrar: {
            register: async (agent, nonce) =>
              RegistrationOutcome.parse(await surroundings.invoke('register-runner', { ...agent, nonce })),
          },
          newNonce: randomUUID,
          standbyLookMs: localStandbyLookMs,
          sleep,
          credentials,
          traces: undefined,
          nowEpochMs,
        },
        request,
      ),
    ),
    'describe-api': http('describe-api', async ({ headers }) =>
      revalidatedAnswer(description, headers['if-none-match']),
    ),
    'register-runner': step({
      name: 'RegisterRunner',
      Input: RegisterRunnerInput,
      Output: RegisterRunnerOutput,
      run: (input) =>
        registerRunner(
          {
            launches,
            registrations,
            ciSystemOf: ciSystemOf('register-runner'),
            pace,
            installationId,
            newNonce: randomUUID,
            nowEpochMs,
          },
          input,
        ),
    }),
    'retire-runner': step({
      name: 'RetireRunner',
      Input: RetireRunnerInput,
      Output: RetireRunnerOutput,
      run: async (input) => {
        const output = await retireRunner(
          { ...launching, registrations, ciSystemOf: ciSystemOf('retire-runner'), pace, sleep },
          input,
        );
        logger.info(`RetireRunner: ${input.launchId}: ${output.outcome}`, { ...input, ...output });
        return output;
      },
    }),
    'report-to-ci': step({
      name: 'ReportToCi',
      Input: ReportToCiInput,
      Output: ReportToCiOutput,
      run: async (report) => {
        const output = await reportToCi({ ciSystemOf: ciSystemOf('report-to-ci'), pace, told }, report);
        const { ciSystem, jobKey, state, description: words } = report;
        const logged = { ciSystem, jobKey, state, description: words, ...output };
        logger.info(`ReportToCi: ${jobKey}: ${output.outcome}`, logged);
        return output;
      },
    }),
    'create-service': step({
      name: 'CreateService',
      Input: CreateServiceInput,
      Output: CreateServiceOutput,
      run: (input) => createService(inCluster, input),
    }),
    'poll-node-port': step({
      name: 'PollNodePort',
      Input: PollNodePortInput,
      Output: PollNodePortOutput,
      run: (input) => pollNodePort(inCluster, input),
    }),
    'create-pod': step({
      name: 'CreatePod',
      Input: CreatePodInput,
      Output: CreatePodOutput,
      run: (input) => createPod({ ...inCluster, credentials, newCredentialId: randomUUID, profiles, publicUrl }, input),
    }),
    'poll-host-ip': step({
      name: 'PollHostIP',
      Input: PollHostIPInput,
      Output: PollHostIPOutput,
      run: (input) => pollHostIP(inCluster, input),
    }),
    'publish-token': step({
      name: 'PublishToken',
      Input: PublishTokenInput,
      Output: PublishTokenOutput,
      run: (input) => publishToken({ ...inCluster, tokens, observe: surroundings.observe, sleepMs: sleep }, input),
    }),
    relaunch: step({
      name: 'Relaunch',
      Input: RelaunchInput,
      Output: RelaunchOutput,
      run: (input) => relaunch(inCluster, input),
    }),
    'clean-up': step({
      name: 'CleanUp',
      Input: CleanUpInput,
      Output: CleanUpOutput,
      run: async (input) => {
        const output = await cleanUp({ ...inCluster, jobs, lost }, input);
        if (output.code === 'RemovalPending') logger.info(`left to the sweep: ${output.message}`);
        reportObserver({ metrics, log: logger }, launchIdOfInput(input), output);
        return output;
      },
    }),
    admit: step({
      name: 'Admit',
      Input: AdmitInput,
      Output: z.object({}),
      run: async (input) => {
        await admit({ ...forJobs, launches, executions }, input);
        return {};
      },
    }),
    sweep: step({
      name: 'Sweep',
      Input: SweepInput,
      Output: SweepReport,
      run: async (input) => {
        const source = { by: 'sweep', graceSeconds: input.graceSeconds };
        const report = await sweep(
          {
            ...launching,
            executions: tracedExecutions(executions, source, traceWrites),
            clusters: config.clusters.map(({ name }) => name),
            profiles,
            clusterStates,
            openCluster,
            limits: sweepLimits,
          },
          input,
        );
        logReport(logger, report);
        const events = bus.sender(kindsOf(sweepSource, { SweepReported }));
        await publishSweep({ metrics, events, log: logger, nowEpochMs }, report);
        return report;
      },
    }),
    reconcile: step({
      name: 'Reconcile',
      Input: ReconcileInput,
      Output: ReconcileReport,
      run: async (input) => {
        const report = await reconcile(
          {
            ...forJobs,
            ...forRunners,
            ciSystemOf: ciSystemOf('reconcile'),
            launches,
            invokeLater,
            spending,
            pace,
            cursors,
            failingDeliveries,
            lost,
            told,
            executions,
            sleep,
            totalMs: reconcileTotalMs,
          },
          input,
        );
        const kinds = {
          ...kindsOf(repairSource, { JobsWaitForSlots, RepairMade }),
          ...kindsOf(jobSource, { JobRefused }),
        };
        if (!input.dryRun)
          await publishReconcile({ metrics, events: bus.sender(kinds), log: logger, nowEpochMs }, report);
        return report;
      },
    }),
    'poll-ci': step({
      name: 'PollCi',
      Input: PollCiInput,
      Output: PollCiReport,
      run: async (input) => {
        const report = await pollCi(
          {
            ...launching,
            ...forJobs,
            ...forRunners,
            ciSystemOf: ciSystemOf('poll-ci'),
            cursors: sqlitePollCursors(store),
            // The store has one process at a time, so a lease of an earlier one is this one's.
            queueHolder: installationId,
            stopping: surroundings.stopping,
            sleep,
            totalMs: 0,
          },
          input,
        );
        for (const error of report.errors) logger.warn(`PollCi: ${error}`);
        return report;
      },
    }),
    probe: step({
      name: 'Probe',
      Input: ProbeInput,
      Output: ProbeReport,
      run: async (input) => {
        const report = await probe(
          {
            profiles,
            openHealth,
            clusterStates,
            launches,
            sleep,
            random: Math.random,
            nowEpochMs,
            log: logger,
            totalMs: probeLimits.totalMs,
          },
          input,
        );
        publishProbe(metrics, report);
        return report;
      },
    }),
    'publish-events': step({
      name: 'PublishEvents',
      Input: PublishEventsInput,
      Output: PublishEventsOutput,
      run: (input) =>
        publishEvents(
          {
            readImage: (image) => image,
            events: bus.sender(published),
            launches,
            invokeLater,
            watchCluster,
            metrics,
            log: logger,
          },
          input,
        ),
    }),
  };
}
