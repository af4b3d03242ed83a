/** davit in a separate process, on a real cluster. `startLiveDavit` starts it, and sends it requests as messages. */
import { functionNames } from '../../cdk/function-permissions.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { useContexts } from '../../local/runtime/named-contexts.ts';
import { type Runtime, startRuntime } from '../../local/runtime/start-runtime.ts';
import type { HistoryEvent } from '../../local/stepfunctions/history-event.ts';
import { contextOf } from '../support/merged-kubeconfig.ts';
import { configOnCluster } from './config.ts';
import {
  type Ask,
  DavitStart,
  type Invoked,
  type Message,
  type Observation,
  Question,
  type ServiceRequest,
} from './messages.ts';
import { nowEpochMs, onServiceRequest } from './service-requests.ts';

const start = DavitStart.parse(JSON.parse(process.argv[2] ?? ''));
const config = configOnCluster(start.agentEnv, start.clusters);
const contexts = start.clusters?.map((name) => ({ name, context: contextOf(name) })) ?? [];
const cluster = await useContexts(start.kubeconfigPath, contexts, config);
let invocations: Invoked[] = [];
const runtime = await startRuntime({
  config,
  cluster,
  stateDirectory: start.stateDirectory,
  listen: start.listen,
  ownThreads: functionNames,
  onSwept: (report) => say({ type: 'swept', report }),
  onInvoked: (functionName, durationMs) => {
    const endEpochMs = nowEpochMs();
    invocations.push({ functionName, startEpochMs: endEpochMs - durationMs, endEpochMs });
  },
});

const portOf = (url: string) => Number(new URL(url).port);
const { services } = runtime;
const ports = new Map<number, ServiceRequest['service']>([
  [portOf(services.dynamoDbUrl), 'dynamodb'],
  [portOf(services.stepFunctionsUrl), 'stepfunctions'],
  [portOf(services.lambdaUrl), 'lambda'],
  [portOf(services.secretsManagerUrl), 'secretsmanager'],
  [portOf(runtime.url), 'api'],
]);
let requests: ServiceRequest[] = [];
onServiceRequest(
  (port) => ports.get(port),
  (request) => requests.push(request),
);

runtime.onExecutionEvent(tellEvents());
process.on('message', (message) => {
  const { id, question } = Question.parse(message);
  void answer(runtime, question).then((given) => say({ type: 'answer', id, answer: given }));
});
// The parent process has ended.
process.on('disconnect', () => process.exit());
const { url, launchesToken } = runtime;
say({ type: 'ready', url, launchesToken, webhookSecret: await runtime.webhookSecret('github') });

async function answer({ functions }: Runtime, question: Ask): Promise<unknown> {
  switch (question.ask) {
    case 'observe':
      return observe();
    case 'killFunction':
      await functions.killWorker(question.name);
      return null;
    case 'sweep': {
      const { payload, functionError } = await functions.invoke('sweep', question.event);
      if (functionError !== undefined) throw new Error(`the sweep failed: ${JSON.stringify(payload)}`);
      return SweepReport.parse(payload);
    }
  }
}

function observe(): Observation {
  const seen = { requests, invocations };
  requests = [];
  invocations = [];
  globalThis.gc?.();
  const { heapUsed: heapBytes, rss: residentBytes } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { ...seen, heapBytes, residentBytes, cpuMs: (user + system) / 1000 };
}

/** A task's events do not name their state: it is the one that was entered last. */
function tellEvents(): (event: HistoryEvent, execution: { name: string }) => void {
  const entered = new Map<string, string>();
  return (event, { name: launchId }) => {
    const type = event.type ?? '';
    const named = event.stateEnteredEventDetails?.name ?? event.stateExitedEventDetails?.name;
    if (named !== undefined) entered.set(launchId, named);
    const state = entered.get(launchId) ?? '';
    if (type.startsWith('Execution')) entered.delete(launchId);
    const error = event.taskFailedEventDetails?.error;
    say({
      type: 'event',
      event: { launchId, type, state, atEpochMs: nowEpochMs(), ...(error === undefined ? {} : { error }) },
    });
  };
}

function say(message: Message): void {
  process.send?.(message);
}
