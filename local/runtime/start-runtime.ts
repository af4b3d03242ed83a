import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import { TransientError } from '../../core/errors/errors.ts';
import type { InvokedEvents } from '../../core/invoked-events.ts';
import { liveStatuses } from '../../core/launch/launch-record.ts';
import type { Executions } from '../../ports/executions.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Slots } from '../../ports/slots.ts';
import { type FunctionName, functionSettings, type Route, routes } from '../../runtime/function-settings.ts';
import { createCallerGuard } from '../gateway/caller-guard.ts';
import { type AccessLogEntry, type GatewayServerOptions, startGatewayServer } from '../gateway/gateway-server.ts';
import { type JsonValue, parseJson } from '../json-value.ts';
import { parseDefinition, readDefinition } from '../machine/definition.ts';
import { ExecutionsTable } from '../machine/executions-table.ts';
import { type ExecutionEvent, StateMachine } from '../machine/state-machine.ts';
import { refuseNetworkFileSystem } from '../store/network-file-system.ts';
import { openStore, removeExpired, type Store, storeFile } from '../store/open-store.ts';
import { sqliteJobs } from '../store/sqlite-jobs.ts';
import { sqliteLaunches } from '../store/sqlite-launches.ts';
import { sqliteSecrets } from '../store/sqlite-secrets.ts';
import { sqliteSlots } from '../store/sqlite-slots.ts';
import { type BusEvent, EventBus } from './event-bus.ts';
import { type FunctionLog, openFunctionLog } from './function-log.ts';
import { outsideOfFunctions, writingTo } from './function-output.ts';
import { installationIdFile, keptInstallationId } from './installation-id.ts';
import { errorPayload, type InvocationResult } from './invocation.ts';
import { Invocations } from './invocations.ts';
import {
  fillSecrets,
  giveSecrets,
  kubeconfigSecrets,
  localConfigOf,
  putKubeconfig,
  randomSecret,
  type SecretKeeper,
  secretValue,
  withoutSecrets,
} from './local-secrets.ts';
import { makePrivateDirectory } from './private-directory.ts';
import { publishChanges } from './publish-changes.ts';
import { type RegularWorkOptions, startOtherWork, startSweeps } from './regular-work.ts';
import { renewRegularly } from './renew-regularly.ts';
import { runByHand } from './run-by-hand.ts';
import type { LocalCluster } from './start-cluster.ts';
import { orPending, stepTurns } from './step-turns.ts';
import { Turns } from './turns.ts';

/** The settings of a runtime. */
export interface RuntimeOptions extends RegularWorkOptions {
  config: Config;
  cluster: LocalCluster;
  /** The directory for what davit keeps, and for logs; locked while the runtime runs. */
  stateDirectory: string;
  /** The text of the state machine. @default statemachine/launch.asl.json, the one of this version */
  definition?: string;
  /** Where the HTTP API listens. @default 127.0.0.1, any free port */
  listen?: { host: string; port?: number };
  /** The API's URL as Pods reach it. @default where it listens */
  publicUrl?: string;
  onAccess?: (entry: AccessLogEntry) => void;
  /** Receives each answer of the HTTP API. */
  onAnswer?: NonNullable<GatewayServerOptions['onAnswer']>;
  /**
   * Values of the config's secrets, by their names, for secrets that davit cannot make itself, such as a CI system's
   * token.
   */
  secrets?: Readonly<Record<string, string>>;
  /** Receives each invocation that failed in its last attempt; a sweep requests it again. @default console.error */
  onDropped?: (functionName: string, reason: string) => void;
  /** Receives each finished invocation of a function. */
  onInvoked?: (functionName: string, durationMs: number) => void;
  /** Where functions log. @default files in the state directory's `logs` */
  log?: FunctionLog;
  /** Receives what functions write to their logs. */
  onOutput?: (functionName: string, lines: string) => void;
}

/** A running davit. */
export interface Runtime extends AsyncDisposable {
  /** The URL of the HTTP API. */
  url: string;
  publicUrl: string;
  /** The bearer token of this run, for `/launches`. */
  launchesToken: string;
  secrets: SecretKeeper & Pick<Secrets, 'signing'>;
  /** What davit keeps of launches, jobs and slots, and how it runs and removes launches. */
  ports: {
    launches: Launches;
    jobs: Jobs;
    slots: Slots;
    executions: Executions;
    invokeLater: InvokeLater<'clean-up'>;
  };
  /** Runs a function now. */
  invoke(functionName: FunctionName, event: JsonValue): Promise<InvocationResult>;
  /** Returns the secret that signs a CI system's webhooks, by the system's name. */
  webhookSecret(ciSystem: string): Promise<string>;
  /** The bus that events are sent to. */
  eventBus: { readonly events: readonly BusEvent[]; onEvent(listener: (event: BusEvent) => void): () => void };
  /** Resolves when davit has published every change so far. */
  eventsPublished(): Promise<void>;
  onExecutionEvent(listener: (event: ExecutionEvent) => void): () => void;
  stop(): Promise<void>;
}

/** The name of a local davit in logs and metrics. */
export const localServiceName = 'davit-local';
/** Ten minutes in all, longer than an agent's grace period. A sweep finds the objects that are still there afterwards. */
export const retryDelaysMs = [1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 180_000, 180_000];
const expiryIntervalMs = 3_600_000;
/** Scheduled functions, run by hand: on AWS, their callers invoke the function itself. */
const byHandRoutes: readonly Route[] = [
  { method: 'POST', path: '/sweeps', functionName: 'sweep', authorization: 'iam' },
  { method: 'POST', path: '/reconciles', functionName: 'reconcile', authorization: 'iam' },
];

/**
 * Starts davit in this process: the functions' logic and the state machine that run on AWS, and what they keep in one
 * SQLite file. A kill at any moment loses nothing that was accepted: the next start goes on.
 *
 * @throws Error when another runtime uses the state directory, or a port is taken; then nothing is left running
 */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  await using started = new AsyncDisposableStack();
  const { stateDirectory, cluster } = options;
  const config = localConfigOf(options.config);
  await makePrivateDirectory(stateDirectory);
  await refuseNetworkFileSystem(stateDirectory);
  const inState = (name: string) => join(stateDirectory, name);
  const launchesToken = randomSecret();
  const stopping = new AbortController();
  // Every function that waits listens.
  setMaxListeners(0, stopping.signal);
  const store = started.use(openStore(inState(storeFile), reportEachMinute()));
  expire(store);
  const expiry = setInterval(() => expire(store), expiryIntervalMs);
  started.defer(() => clearInterval(expiry));

  const secrets = sqliteSecrets(store);
  const given = options.secrets ?? {};
  fillSecrets(secrets, withoutSecrets(config, given), cluster);
  giveSecrets(secrets, given);
  for (const [{ renewKubeconfig }, names] of kubeconfigSecrets(withoutSecrets(config, given), cluster)) {
    if (renewKubeconfig === undefined) continue;
    started.use(renewRegularly(names, async () => putKubeconfig(secrets, names, await renewKubeconfig())));
  }

  const log = options.log ?? openFunctionLog(inState('logs'));
  started.defer(() => log.close());
  const output = (name: string) => (text: string) => {
    log.write(name, text);
    options.onOutput?.(name, text);
  };
  process.env['POWERTOOLS_SERVICE_NAME'] ??= localServiceName;
  const { composeFunctions } = await import('./compose-functions.ts');

  const run = async (name: FunctionName, event: unknown): Promise<JsonValue> => {
    const beganMs = performance.now();
    try {
      // As JSON, so that no function sees what another one changes.
      const answer = await writingTo(output(name), () => functions[name](parseJson(JSON.stringify(event))));
      return parseJson(JSON.stringify(answer ?? null));
    } finally {
      options.onInvoked?.(name, performance.now() - beganMs);
    }
  };
  const invoke: Runtime['invoke'] = (name, event) => resultOf(() => run(name, event));
  const dropped = options.onDropped ?? ((name, reason) => console.error(`${name} failed: ${reason}`));
  const onDropped: typeof dropped = (name, reason) => outsideOfFunctions(() => dropped(name, reason));
  const invocations = new Invocations({ store, invoke: run, retryDelaysMs, onDropped, nowEpochMs: Date.now });
  const invokeLater: InvokeLater<keyof InvokedEvents> = async (name, event) => {
    invocations.add(name, event);
    await store.onDisk();
  };
  const bus = new EventBus(store);
  const listeners = new Set<(event: ExecutionEvent) => void>();
  const turns = new Turns();
  const { run: runStep, observe } = stepTurns(turns);
  const machine = new StateMachine({
    definition: options.definition === undefined ? readDefinition() : parseDefinition(options.definition),
    table: new ExecutionsTable(store),
    invoke: (name, event) => runStep(name, () => run(name, event)),
    onUnsuccessful: (launchId, { status }) =>
      invocations.add('clean-up', {
        source: 'aws.states',
        'detail-type': 'Step Functions Execution Status Change',
        detail: { name: launchId, status },
      }),
    onEvent: (event) =>
      outsideOfFunctions(() => {
        for (const listener of listeners) listener(event);
      }),
    nowEpochMs: Date.now,
    random: Math.random,
  });

  // Functions need the URL, and the gateway needs the functions, so early requests wait.
  const ready = Promise.withResolvers<void>();
  let isReady = false;
  const gateway = started.use(
    await startGatewayServer({
      routes: [...routes, ...byHandRoutes].map((route) => ({ ...route, readsBody: readsBody(route.functionName) })),
      invokeFunction: async (name, event) => {
        await ready.promise;
        if (!isFunction(name)) throw new TypeError(`a route names ${name}, which is no function`);
        if (name === 'sweep' || name === 'reconcile') {
          return resultOf(() => runByHand(event, (input) => run(name, input)));
        }
        const answer = await (beginsLaunches(name) ? turns.answer(() => invoke(name, event)) : invoke(name, event));
        // What an answer tells of, whoever wrote it, is not lost in a power cut.
        await store.onDisk();
        return answer;
      },
      isReady: () => isReady,
      guard: createCallerGuard({ hostNames: hostNamesOf(options), token: launchesToken }),
      ...options.listen,
      ...(options.onAccess === undefined ? {} : { onAccess: options.onAccess }),
      ...(options.onAnswer === undefined ? {} : { onAnswer: options.onAnswer }),
    }),
  );
  const publicUrl = options.publicUrl ?? gateway.url;
  const functions = composeFunctions({
    config,
    store,
    secrets,
    executions: machine,
    invokeLater,
    invoke: run,
    observe: orPending(observe),
    bus,
    installationId: await keptInstallationId(inState(installationIdFile)),
    publicUrl,
    stopping: stopping.signal,
  });
  const changes = publishChanges({
    store,
    publish: (event) => run('publish-events', event),
    onFailed: (reason) => console.error(`publish-events failed: ${reason}`),
  });
  started.defer(async () => changes.halt());
  started.defer(() => invocations.halt());
  started.defer(() => machine.halt());
  started.defer(() => stopping.abort());

  const launches = sqliteLaunches(store);
  started.use(await startSweeps(options, invoke, await hasUnfinished(launches)));
  // The caller shows the secrets that were made.
  await store.onDisk();
  invocations.resume();
  machine.resume();
  ready.resolve();
  started.use(startOtherWork(options, config, invoke));
  isReady = true;
  started.defer(() => {
    isReady = false;
  });

  const running = started.move();
  const stop = () => running.disposeAsync();
  return {
    url: gateway.url,
    publicUrl,
    launchesToken,
    secrets,
    ports: { launches, jobs: sqliteJobs(store), slots: sqliteSlots(store), executions: machine, invokeLater },
    invoke,
    webhookSecret: async (name) => secretValue(secrets, config.ciSystems, name),
    eventBus: bus,
    eventsPublished: () => changes.settled(),
    onExecutionEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function hasUnfinished(launches: Launches): Promise<boolean> {
  const page = await launches.list({ statuses: [...liveStatuses, 'cleaning'], limit: 1 });
  return page !== undefined && page.launches.length + page.unreadable.length > 0;
}

/** Tells the person at the terminal why davit does not answer, once a minute. */
function reportEachMinute(): (reason: string) => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return (reason) => {
    if (performance.now() - toldAtMs < 60_000) return;
    toldAtMs = performance.now();
    const text = `davit cannot use ${storeFile}: ${reason}. It goes on as soon as it can.`;
    outsideOfFunctions(() => console.error(text));
  };
}

/** Removes what has expired, or leaves it to the next time if the disk is full. */
function expire(store: Store): void {
  try {
    removeExpired(store, Date.now());
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    console.error(`expired records are kept for now: ${error.message}`);
  }
}

const beginningLaunches: readonly string[] = ['webhook', 'launches'] satisfies FunctionName[];

/**
 * Says whether a function begins launches. Its callers give up after seconds, GitHub after 10. (An agent, in contrast,
 * asks again.)
 */
export function beginsLaunches(functionName: string): boolean {
  return beginningLaunches.includes(functionName);
}

const bodiless: readonly string[] = ['connect'] satisfies FunctionName[];

/** Says whether a function needs bodies. An agent sends its credential only, and a stranger's body would take memory. */
function readsBody(functionName: string): boolean {
  return !bodiless.includes(functionName);
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(functionSettings, name);
}

async function resultOf(work: () => Promise<JsonValue>): Promise<InvocationResult> {
  try {
    return { requestId: '', payload: await work() };
  } catch (error) {
    return { requestId: '', payload: errorPayload(error), functionError: 'Unhandled' };
  }
}

/** The names in the API's own URLs. */
export function hostNamesOf({ listen, publicUrl }: Pick<RuntimeOptions, 'listen' | 'publicUrl'>): string[] {
  return [listen?.host, publicUrl && new URL(publicUrl).hostname].filter((name) => name !== undefined);
}
