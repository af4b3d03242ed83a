import { writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod';
import { createSecrets, createSecretsManagerClient } from '../../../../adapters/aws/create-secrets.ts';
import { clustersTable, jobsTable, launchesTable, tokensTable } from '../../../../adapters/aws/table-definitions.ts';
import { stoppedByDavit } from '../../../../core/launch/execution-ending.ts';
import { createCallerGuard } from '../../../../local/gateway/caller-guard.ts';
import { startGatewayServer } from '../../../../local/gateway/gateway-server.ts';
import type { JsonValue } from '../../../../local/json-value.ts';
import type { End } from '../../../../local/machine/executions-table.ts';
import type { ExecutionEvent } from '../../../../local/machine/state-machine.ts';
import { openFunctionLog } from '../../../../local/runtime/function-log.ts';
import { keptInstallationId } from '../../../../local/runtime/installation-id.ts';
import { TooManyRequests } from '../../../../local/runtime/invocation.ts';
import {
  credentialKeySecret,
  fillSecrets,
  giveSecrets,
  kubeconfigSecrets,
  localConfigOf,
  putKubeconfig,
  randomSecret,
  type SecretKeeper,
  secretValue,
} from '../../../../local/runtime/local-secrets.ts';
import { makePrivateDirectory } from '../../../../local/runtime/private-directory.ts';
import { startOtherWork, startSweeps } from '../../../../local/runtime/regular-work.ts';
import { renewRegularly } from '../../../../local/runtime/renew-regularly.ts';
import {
  beginsLaunches,
  hostNamesOf,
  type Runtime,
  type RuntimeOptions,
  retryDelaysMs,
} from '../../../../local/runtime/start-runtime.ts';
import { type StepTurns, stepTurns } from '../../../../local/runtime/step-turns.ts';
import { Turns } from '../../../../local/runtime/turns.ts';
import {
  type FunctionName,
  type FunctionSettings,
  functionSettings,
  routes,
  stateMachineFunctions,
} from '../../../../runtime/function-settings.ts';
import { definitionText } from '../../../../scripts/statemachine/read-definition.ts';
import { isolateBundles } from '../bundles/isolate-bundles.ts';
import { type DynamoDbServer, startDynamoDbServer } from '../dynamodb/dynamodb-server.ts';
import { startEventBridgeServer } from '../eventbridge/eventbridge-server.ts';
import { createFunctionHost, type FunctionDefinition, type FunctionHost } from '../lambda/function-host.ts';
import { startLambdaServer } from '../lambda/lambda-server.ts';
import { mixHosts } from '../lambda/mix-hosts.ts';
import { mapStream } from '../lambda/stream-mapping.ts';
import { localAws } from '../local-aws.ts';
import { startSecretsManagerServer } from '../secretsmanager/secretsmanager-server.ts';
import type { HistoryEvent } from '../stepfunctions/history-event.ts';
import type { InvokeFunction } from '../stepfunctions/lambda-task.ts';
import type { HistoryListener } from '../stepfunctions/state-machine-service.ts';
import { type StepFunctionsServer, startStepFunctionsServer } from '../stepfunctions/stepfunctions-server.ts';
import { awsEnvironment, davitEnvironment, type LocalServices } from './function-environment.ts';
import { portsOf } from './ports-of.ts';

type ThrottledService = 'dynamodb' | 'stepfunctions' | 'lambda';

/** The settings of a runtime. */
export interface AwsRuntimeOptions extends RuntimeOptions {
  /** A `cdk.out` whose bundles to run, each in clean processes of its own. @default the sources, in threads */
  bundles?: string;
  /** The functions that run in a thread of their own, so that a test can kill one alone. @default all share a thread */
  ownThreads?: readonly FunctionName[];
  /** Says whether AWS throttles a call: for tests. The operation of Lambda is a function's name. @default none */
  isThrottled?: (service: ThrottledService, operation: string) => boolean;
  /** The functions' AWS identity, for a test with an EKS stand-in; the config's EKS clusters then stay EKS clusters. */
  aws?: Readonly<Record<string, string>>;
  /** Runs some of the invocations, as while a deployment replaces the functions. @default none */
  otherVersion?: OtherVersion;
}

/** Another version of davit, beside the sources of this one. */
export interface OtherVersion {
  /** Its sources. */
  folder: string;
  /** The davit.yaml as its own schema has read it. */
  config: unknown;
  /** Says whether it runs the next invocation. */
  isNext: () => boolean;
}

/** A running davit on emulators of AWS. */
export interface AwsRuntime extends Runtime {
  functions: FunctionHost;
  stepFunctions: StepFunctionsServer;
  dynamoDb: DynamoDbServer;
  services: LocalServices;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const launchesTableName = 'davit-launches';
const tokensTableName = 'davit-tokens';
const jobsTableName = 'davit-jobs';
const clustersTableName = 'davit-clusters';

/**
 * Starts davit on this machine: the functions and the state machine that run on AWS, in front of local services that
 * speak AWS's protocols.
 *
 * @throws Error when a port is taken; then nothing is left running
 */
export async function startAwsRuntime(options: AwsRuntimeOptions): Promise<AwsRuntime> {
  await using started = new AsyncDisposableStack();
  const { stateDirectory, cluster } = options;
  const config = options.aws === undefined ? localConfigOf(options.config) : options.config;
  await makePrivateDirectory(stateDirectory);
  const configFile = join(stateDirectory, 'config.json');
  const inState = (name: string) => join(stateDirectory, name);
  const secretAccessKey = options.aws?.['AWS_SECRET_ACCESS_KEY'] ?? randomSecret();
  const launchesToken = randomSecret();

  const throttled = (service: ThrottledService) => (operation: string) =>
    options.isThrottled?.(service, operation) ?? false;

  const dynamoDb = started.use(
    await startDynamoDbServer({ directory: stateDirectory, secretAccessKey, isThrottled: throttled('dynamodb') }),
  );
  const publishedTables = [
    { TableName: launchesTableName, ...launchesTable.schema },
    { TableName: tokensTableName, ...tokensTable.schema },
    { TableName: clustersTableName, ...clustersTable.schema },
  ];
  await dynamoDb.createTables([...publishedTables, { TableName: jobsTableName, ...jobsTable.schema }]);
  const eventBridge = started.use(await startEventBridgeServer({ directory: stateDirectory, secretAccessKey }));
  await writeFile(configFile, JSON.stringify(config));
  const { otherVersion: other } = options;
  const others = other === undefined ? undefined : await readSettings(other.folder);
  const otherConfigFile = inState('other-config.json');
  if (other !== undefined) await writeFile(otherConfigFile, JSON.stringify(other.config));
  const bundles =
    options.bundles === undefined ? undefined : started.use(await isolateBundles(options.bundles, config));
  const secrets = started.use(await startSecretsManagerServer({ secretAccessKey }));
  const keeper: SecretKeeper = {
    get: secrets.readSecret,
    put: secrets.putSecret,
  };
  fillSecrets(keeper, config, cluster);
  giveSecrets(keeper, options.secrets ?? {});
  for (const [{ renewKubeconfig }, names] of kubeconfigSecrets(config, cluster)) {
    if (renewKubeconfig === undefined) continue;
    started.use(renewRegularly(names, async () => putKubeconfig(keeper, names, await renewKubeconfig())));
  }

  // The functions need the servers' addresses, and the servers need the functions, so early requests wait.
  const host = Promise.withResolvers<FunctionHost>();
  const isInvocationThrottled = throttled('lambda');
  const invokeFunction = async (name: string, event: JsonValue) => {
    if (isInvocationThrottled(name)) throw new TooManyRequests();
    return (await host.promise).invoke(name, event);
  };
  const turns = new Turns();
  const runStep = runInTurns(stepTurns(turns), invokeFunction);
  const substitutions = { ...others?.stateMachineFunctions, ...stateMachineFunctions, Partition: 'aws' };
  const stepFunctions = started.use(
    await startStepFunctionsServer({
      stateMachine: {
        name: 'davit-launch',
        definition: options.definition ?? definitionText,
        substitutions,
      },
      invokeFunction: runStep,
      isThrottled: throttled('stepfunctions'),
      journalPath: inState('executions.jsonl'),
      secretAccessKey,
    }),
  );
  const lambda = started.use(
    await startLambdaServer({
      host: { has: (name) => Object.hasOwn(functionSettings, name), invoke: invokeFunction },
      journalPath: inState('events.jsonl'),
      secretAccessKey,
      retryDelaysMs,
      ...(options.onDropped === undefined ? {} : { onDropped: options.onDropped }),
    }),
  );
  const gateway = started.use(
    await startGatewayServer({
      routes,
      invokeFunction: (name, event) =>
        beginsLaunches(name) ? turns.answer(() => invokeFunction(name, event)) : invokeFunction(name, event),
      guard: createCallerGuard({ hostNames: hostNamesOf(options), token: launchesToken }),
      ...options.listen,
      ...(options.onAccess === undefined ? {} : { onAccess: options.onAccess }),
      ...(options.onAnswer === undefined ? {} : { onAnswer: options.onAnswer }),
    }),
  );

  const publicUrl = options.publicUrl ?? gateway.url;
  const services: LocalServices = {
    configFile,
    launchesTable: launchesTableName,
    tokensTable: tokensTableName,
    jobsTable: jobsTableName,
    clustersTable: clustersTableName,
    stateMachineArn: stepFunctions.stateMachineArn,
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
  const hostOf = (definitions: Record<string, FunctionDefinition>) =>
    createFunctionHost({
      functions: definitions,
      log: (name, text) => {
        log.write(name, text);
        options.onOutput?.(name, text);
      },
      ...(options.onInvoked === undefined ? {} : { onInvoked: options.onInvoked }),
    });
  const definitionsOf = (folder: string, settings: Record<string, FunctionSettings>) =>
    functionDefinitions(folder, settings, { ...services, configFile: otherConfigFile }, options);
  const ofThis = hostOf(
    bundles?.functions(services, options.aws) ?? functionDefinitions(root, functionSettings, services, options),
  );
  const functions = started.use(
    other === undefined || others === undefined
      ? ofThis
      : mixHosts([ofThis, hostOf(definitionsOf(other.folder, others.functionSettings))], () =>
          other.isNext() ? 1 : 0,
        ),
  );
  await functions.warm();
  const changes = started.use(
    mapStream({ invoke: (event) => functions.invoke('publish-events' satisfies FunctionName, event) }),
  );
  started.use(dynamoDb.stream(publishedTables, (record) => changes.add(record)));
  host.resolve(functions);

  stepFunctions.onEvent((event, { name }) => {
    const status = statusToPublish(event);
    if (status === undefined) return;
    lambda.invokeLater('clean-up', {
      source: 'aws.states',
      'detail-type': 'Step Functions Execution Status Change',
      detail: { stateMachineArn: services.stateMachineArn, name, status },
    });
  });
  const invoke: Runtime['invoke'] = (name, event) => functions.invoke(name, event);
  started.use(await startSweeps(options, invoke, true));
  started.use(startOtherWork(options, config, invoke));

  const running = started.move();
  const stop = () => running.disposeAsync();
  return {
    url: gateway.url,
    publicUrl,
    launchesToken,
    secrets: {
      ...keeper,
      signing: createSecrets({ client: createSecretsManagerClient(localAws(secrets.url, secretAccessKey)) }).signing,
    },
    ports: portsOf(services),
    invoke,
    functions,
    stepFunctions,
    dynamoDb,
    services,
    webhookSecret: async (name) => secretValue(keeper, config.ciSystems, name),
    eventBus: eventBridge,
    eventsPublished: () => changes.settled(),
    onExecutionEvent: (listener) => stepFunctions.onEvent(translated(listener)),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Runs steps by turns, as one process does. A Lambda publishes and looks in one invocation: the first one is the step's, and
 * each repetition an observer's.
 */
function runInTurns({ run, observe }: StepTurns, invoke: InvokeFunction): InvokeFunction {
  const published = new Set<unknown>();
  return (name, event) => {
    const work = () => invoke(name, event);
    if (name !== 'publish-token') return run(name, work);
    const { agentName } = z.object({ agentName: z.string() }).parse(event);
    if (published.has(agentName)) return observe(work);
    published.add(agentName);
    return run(name, work);
  };
}

/** Passes on Step Functions' events as davit's own process names them. A task's events do not name their state. */
function translated(listener: (event: ExecutionEvent) => void): HistoryListener {
  const states = new Map<string, string>();
  return (event, { name: launchId, error, cause }) => {
    const at = { launchId, atEpochMs: event.timestampEpochMs };
    const type = event.type ?? '';
    const entered = event.stateEnteredEventDetails?.name;
    const left = event.stateExitedEventDetails?.name;
    if (entered !== undefined) states.set(launchId, entered);
    const state = states.get(launchId) ?? '';
    if (entered !== undefined) return listener({ ...at, type: 'entered', state });
    if (left !== undefined) return listener({ ...at, type: 'left', state: left });
    if (type === 'ExecutionStarted') return listener({ ...at, type: 'started' });
    if (type === 'TaskStarted') return listener({ ...at, type: 'attempted', state });
    const failure = event.taskFailedEventDetails ?? event.taskTimedOutEventDetails;
    if (failure !== undefined) {
      return listener({ ...at, type: 'failed', state, error: failure.error ?? '', cause: failure.cause ?? '' });
    }
    const status = ends[type];
    if (status === undefined) return;
    const why = { ...(error === undefined ? {} : { error }), ...(cause === undefined ? {} : { cause }) };
    listener({ ...at, type: 'ended', status, ...why });
  };
}

const ends: Readonly<Record<string, End['status']>> = {
  ExecutionSucceeded: 'SUCCEEDED',
  ExecutionFailed: 'FAILED',
  ExecutionAborted: 'ABORTED',
  ExecutionTimedOut: 'TIMED_OUT',
};

/** The statuses that the EventBridge rule selects, by the type of an execution's last event. */
const endsOtherwise: Readonly<Record<string, string>> = {
  ExecutionFailed: 'FAILED',
  ExecutionAborted: 'ABORTED',
  ExecutionTimedOut: 'TIMED_OUT',
};

/** The rule leaves out executions that davit has stopped. */
function statusToPublish({ type, executionAbortedEventDetails: aborted }: HistoryEvent): string | undefined {
  return aborted?.error === stoppedByDavit ? undefined : endsOtherwise[type ?? ''];
}

/** Reads which functions another version has. */
async function readSettings(folder: string) {
  const module: unknown = await import(pathToFileURL(join(folder, 'runtime/function-settings.ts')).href);
  return z
    .object({ functionSettings: Settings, stateMachineFunctions: z.record(z.string(), z.string()) })
    .parse(module);
}

const Settings = z.record(z.string(), z.object({ timeoutSeconds: z.number(), memoryMiB: z.number() }));

function functionDefinitions(
  folder: string,
  allSettings: Record<string, FunctionSettings>,
  services: LocalServices,
  { aws, ownThreads = [] }: AwsRuntimeOptions,
): Record<string, FunctionDefinition> {
  const ownThread: ReadonlySet<string> = new Set(ownThreads);
  const entries = Object.entries(allSettings).map(([name, settings]) => {
    const modulePath = join(folder, 'functions', name, `handler${extname(import.meta.url)}`);
    const env = { ...awsEnvironment(services, name), ...aws, ...davitEnvironment(services) };
    const thread = ownThread.has(name) ? {} : { thread: 'functions' };
    return [name, { ...settings, ...thread, modulePath, env }] as const;
  });
  return Object.fromEntries(entries);
}
