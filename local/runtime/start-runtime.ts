import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jobsTable, launchesTable, tokensTable } from '../../functions/adapters/aws/table-definitions.ts';
import type { Config } from '../../functions/domain/config.ts';
import { stoppedByDavit } from '../../functions/domain/execution-ending.ts';
import { actsIn } from '../../functions/domain/join-of.ts';
import {
  type FunctionName,
  functionSettings,
  reconcileIntervalMinutes,
  routes,
  stateMachineFunctions,
  sweepIntervalMinutes,
} from '../../functions/manifest.ts';
import type { ReconcileReport } from '../../functions/reconcile/reconcile-report.ts';
import type { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { isolateBundles } from '../bundles/isolate-bundles.ts';
import { type DynamoDbServer, startDynamoDbServer } from '../dynamodb/dynamodb-server.ts';
import { type EventBridgeServer, startEventBridgeServer } from '../eventbridge/eventbridge-server.ts';
import { createCallerGuard } from '../gateway/caller-guard.ts';
import { type AccessLogEntry, startGatewayServer } from '../gateway/gateway-server.ts';
import type { JsonValue } from '../json-value.ts';
import { createFunctionHost, type FunctionDefinition, type FunctionHost } from '../lambda/function-host.ts';
import { openFunctionLog } from '../lambda/function-log.ts';
import { startLambdaServer } from '../lambda/lambda-server.ts';
import { mapStream } from '../lambda/stream-mapping.ts';
import { startSecretsManagerServer } from '../secretsmanager/secretsmanager-server.ts';
import type { HistoryEvent } from '../stepfunctions/history-event.ts';
import type { HistoryListener } from '../stepfunctions/state-machine-service.ts';
import { type StepFunctionsServer, startStepFunctionsServer } from '../stepfunctions/stepfunctions-server.ts';
import { connectServices, type LaunchPorts } from './connect-services.ts';
import { awsEnvironment, davitEnvironment, type LocalServices } from './function-environment.ts';
import { keptInstallationId } from './installation-id.ts';
import {
  credentialKeySecret,
  fillSecrets,
  giveSecrets,
  localConfigOf,
  putKubeconfig,
  randomSecret,
  secretValue,
} from './local-secrets.ts';
import { makePrivateDirectory } from './private-directory.ts';
import { reconcileRegularly } from './reconcile-regularly.ts';
import { renewRegularly } from './renew-regularly.ts';
import type { LocalCluster } from './start-cluster.ts';
import { sweepRegularly } from './sweep-regularly.ts';

/** What a runtime is made of. */
export interface RuntimeOptions {
  config: Config;
  cluster: LocalCluster;
  /** Tables, executions, secrets and logs; locked while the runtime runs. */
  stateDirectory: string;
  /** A `cdk.out` whose bundles are run, each in clean processes of its own. @default the sources, in threads */
  bundles?: string;
  /** Runs each function in a thread of its own, so that one can be killed alone. @default all share a thread */
  isThreadPerFunction?: boolean;
  /** The text of the state machine. @default statemachine/launch.asl.json, the one of this version */
  definition?: string;
  /** Where the HTTP API listens. @default 127.0.0.1, any free port */
  listen?: { host: string; port?: number };
  /** The API's URL as Pods reach it. @default where it listens */
  publicUrl?: string;
  onAccess?: (entry: AccessLogEntry) => void;
  /** Values of secrets that the config names, by their names: what davit cannot make itself, as a CI's token. */
  secrets?: Readonly<Record<string, string>>;
  /** The pause between two sweeps. @default that of the schedule on AWS, a minute */
  sweepIntervalMs?: number;
  /** Hears of each sweep, the one at the start included. */
  onSwept?: (report: SweepReport) => void;
  /** The pause between two reconciles with the CI systems. @default that of the schedule on AWS, a minute */
  reconcileIntervalMs?: number;
  /** Hears of each reconcile. */
  onReconciled?: (report: ReconcileReport) => void;
  /** Hears of a clean-up that was given up; a sweep asks for it again. @default console.error */
  onDropped?: (functionName: string, reason: string) => void;
  /** Hears of each invocation of a function when it is over. */
  onInvoked?: (functionName: string, durationMs: number) => void;
  /** Who the functions are to AWS, where a test has an EKS in the cluster's place; then EKS clusters stay what they are. */
  aws?: Readonly<Record<string, string>>;
}

/** A running davit. */
export interface Runtime extends AsyncDisposable {
  /** The HTTP API's. */
  url: string;
  publicUrl: string;
  /** The bearer token of this run, for `/launches`. */
  launchesToken: string;
  /** What was found in the middle of something at the start; undefined when the sweep came to no end. */
  firstSweep: SweepReport | undefined;
  /** Where the sweep is asked for by hand: a signed POST with `{"dryRun": true}` shows what it would do. */
  sweepUrl: string;
  functions: FunctionHost;
  stepFunctions: StepFunctionsServer;
  dynamoDb: DynamoDbServer;
  services: LocalServices;
  /** The tables and services, as the functions reach them. */
  ports: LaunchPorts;
  /** The secret that a CI system's webhooks are to be signed with, by the system's name. */
  webhookSecret(ciSystem: string): Promise<string>;
  /** The bus that events are sent to. */
  eventBus: Pick<EventBridgeServer, 'events' | 'onEvent'>;
  /** Resolves when everything that has happened so far is published. */
  eventsPublished(): Promise<void>;
  onExecutionEvent(listener: HistoryListener): () => void;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const launchesTableName = 'davit-launches';
const tokensTableName = 'davit-tokens';
const jobsTableName = 'davit-jobs';
/** Ten minutes in all: longer than an agent's grace period; what is not gone by then, a sweep finds. */
const cleanUpRetryDelaysMs = [1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 180_000, 180_000];

/**
 * Starts davit on this machine: the functions and the state machine that run on AWS, in front of local services that
 * speak AWS's protocols.
 *
 * @throws Error when another runtime uses the state directory, or a port cannot be listened on; then nothing is left
 *   running
 */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  await using started = new AsyncDisposableStack();
  const { stateDirectory, cluster } = options;
  const config = options.aws === undefined ? localConfigOf(options.config) : options.config;
  await makePrivateDirectory(stateDirectory);
  const configFile = join(stateDirectory, 'config.json');
  const inState = (name: string) => join(stateDirectory, name);
  const secretAccessKey = options.aws?.['AWS_SECRET_ACCESS_KEY'] ?? randomSecret();
  const launchesToken = randomSecret();

  const dynamoDb = started.use(await startDynamoDbServer({ directory: stateDirectory, secretAccessKey }));
  const publishedTables = [
    { TableName: launchesTableName, ...launchesTable.schema },
    { TableName: tokensTableName, ...tokensTable.schema },
  ];
  await dynamoDb.createTables([...publishedTables, { TableName: jobsTableName, ...jobsTable.schema }]);
  const eventBridge = started.use(await startEventBridgeServer({ directory: stateDirectory, secretAccessKey }));
  await writeFile(configFile, JSON.stringify(config));
  const bundles =
    options.bundles === undefined ? undefined : started.use(await isolateBundles(options.bundles, config));
  const secrets = started.use(await startSecretsManagerServer({ directory: inState('secrets'), secretAccessKey }));
  await fillSecrets(secrets, config, cluster.kubeconfig);
  await giveSecrets(secrets, options.secrets ?? {});
  const { renewKubeconfig } = cluster;
  if (renewKubeconfig !== undefined) {
    started.use(renewRegularly(async () => putKubeconfig(secrets, config, await renewKubeconfig())));
  }

  // The functions need to know where the servers are, and the servers need the functions: what comes early waits.
  const host = Promise.withResolvers<FunctionHost>();
  const invokeFunction = async (name: string, event: JsonValue) => (await host.promise).invoke(name, event);
  const substitutions = { ...stateMachineFunctions, Partition: 'aws' };
  const stepFunctions = started.use(
    await startStepFunctionsServer({
      stateMachine: {
        name: 'davit-launch',
        definition: options.definition ?? (await readDefinition()),
        // npm run check validates this version's own.
        isValid: options.definition === undefined,
        substitutions,
      },
      invokeFunction,
      journalPath: inState('executions.jsonl'),
      secretAccessKey,
    }),
  );
  const lambda = started.use(
    await startLambdaServer({
      host: { has: (name) => Object.hasOwn(functionSettings, name), invoke: invokeFunction },
      journalPath: inState('events.jsonl'),
      secretAccessKey,
      retryDelaysMs: cleanUpRetryDelaysMs,
      ...(options.onDropped === undefined ? {} : { onDropped: options.onDropped }),
    }),
  );
  const gateway = started.use(
    await startGatewayServer({
      routes,
      invokeFunction,
      guard: createCallerGuard({ hostNames: hostNamesOf(options), token: launchesToken }),
      ...options.listen,
      ...(options.onAccess === undefined ? {} : { onAccess: options.onAccess }),
    }),
  );

  const publicUrl = options.publicUrl ?? gateway.url;
  const services: LocalServices = {
    configFile,
    launchesTable: launchesTableName,
    tokensTable: tokensTableName,
    jobsTable: jobsTableName,
    stateMachineArn: stepFunctions.stateMachineArn,
    cleanUpFunction: 'clean-up' satisfies FunctionName,
    registerRunnerFunction: 'register-runner' satisfies FunctionName,
    retireRunnerFunction: 'retire-runner' satisfies FunctionName,
    installationId: await keptInstallationId(inState('installation-id')),
    credentialKeySecret,
    publicUrl,
    secretAccessKey,
    dynamoDbUrl: dynamoDb.url,
    stepFunctionsUrl: stepFunctions.url,
    lambdaUrl: lambda.url,
    secretsManagerUrl: secrets.url,
    eventBridgeUrl: eventBridge.url,
  };
  const log = openFunctionLog(inState('logs'));
  started.defer(() => log.close());
  const functions = started.use(
    createFunctionHost({
      functions: bundles?.functions(services, options.aws) ?? functionDefinitions(services, options),
      log: (name, text) => log.write(name, text),
      ...(options.onInvoked === undefined ? {} : { onInvoked: options.onInvoked }),
    }),
  );
  await functions.warm();
  const changes = started.use(
    mapStream({ invoke: (event) => functions.invoke('publish-events' satisfies FunctionName, event) }),
  );
  started.use(dynamoDb.stream(publishedTables, (record) => changes.add(record)));
  host.resolve(functions);

  const ports = connectServices(services);
  stepFunctions.onEvent((event, { name }) => {
    const status = statusToPublish(event);
    if (status !== undefined) void ports.publishEnd(name, status);
  });
  const sweeps = started.use(
    await sweepRegularly({
      invoke: (event) => functions.invoke('sweep' satisfies FunctionName, event),
      intervalMs: options.sweepIntervalMs ?? sweepIntervalMinutes * 60_000,
      onSwept: options.onSwept ?? (() => {}),
      onFailed: (reason) => console.error(`a sweep came to no end: ${reason}`),
    }),
  );
  if (config.ciSystems.some(actsIn)) {
    started.use(
      reconcileRegularly({
        invoke: (event) => functions.invoke('reconcile' satisfies FunctionName, event),
        intervalMs: options.reconcileIntervalMs ?? reconcileIntervalMinutes * 60_000,
        onReconciled: options.onReconciled ?? (() => {}),
        onFailed: (reason) => console.error(`a reconcile came to no end: ${reason}`),
      }),
    );
  }

  const running = started.move();
  const stop = () => running.disposeAsync();
  return {
    url: gateway.url,
    publicUrl,
    launchesToken,
    firstSweep: sweeps.first,
    sweepUrl: `${lambda.url}/2015-03-31/functions/${'sweep' satisfies FunctionName}/invocations`,
    functions,
    stepFunctions,
    dynamoDb,
    services,
    ports,
    webhookSecret: (name) => secretValue(secrets, config.ciSystems, name),
    eventBus: eventBridge,
    eventsPublished: () => changes.settled(),
    onExecutionEvent: (listener) => stepFunctions.onEvent(listener),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The names in the API's own URLs. */
function hostNamesOf({ listen, publicUrl }: RuntimeOptions): string[] {
  return [listen?.host, publicUrl && new URL(publicUrl).hostname].filter((name) => name !== undefined);
}

/** What the EventBridge rule for executions that end otherwise than well is about. */
const endsOtherwise: Readonly<Record<string, string>> = {
  ExecutionFailed: 'FAILED',
  ExecutionAborted: 'ABORTED',
  ExecutionTimedOut: 'TIMED_OUT',
};

/** The rule leaves out what davit has stopped. */
function statusToPublish({ type, executionAbortedEventDetails: aborted }: HistoryEvent): string | undefined {
  return aborted?.error === stoppedByDavit ? undefined : endsOtherwise[type ?? ''];
}

function readDefinition(): Promise<string> {
  return readFile(join(root, 'statemachine', 'launch.asl.json'), 'utf8');
}

function functionDefinitions(
  services: LocalServices,
  { aws, isThreadPerFunction }: RuntimeOptions,
): Record<string, FunctionDefinition> {
  const thread = isThreadPerFunction ? {} : { thread: 'functions' };
  const entries = Object.entries(functionSettings).map(([name, settings]) => {
    const modulePath = join(root, 'functions', name, 'handler.ts');
    const env = { ...awsEnvironment(services, name), ...aws, ...davitEnvironment(services) };
    return [name, { ...settings, ...thread, modulePath, env }] as const;
  });
  return Object.fromEntries(entries);
}
