/** davit in a separate process, on a real cluster. `startLiveDavit` starts it, and sends it requests as messages. */
import { slotLimitsOf } from '../../../core/limits/slot-limits.ts';
import { SweepReport } from '../../../functions/sweep/sweep-report.ts';
import type { JsonValue } from '../../../local/json-value.ts';
import { useContexts } from '../../../local/runtime/named-contexts.ts';
import { type Runtime, startRuntime } from '../../../local/runtime/start-runtime.ts';
import type { FunctionName } from '../../../runtime/function-settings.ts';
import { contextOf } from '../../support/merged-kubeconfig.ts';
import { configOnCluster } from './config.ts';
import { type Ask, DavitStart, type Held, type Invoked, type Message, type Observation, Question } from './messages.ts';
import { nowEpochMs } from './now.ts';

const start = DavitStart.parse(JSON.parse(process.argv[2] ?? ''));
const config = configOnCluster(start);
const contexts = start.clusters?.map((name) => ({ name, context: contextOf(name) })) ?? [];
const cluster = await useContexts(start.kubeconfigPath, contexts, config);
let invocations: Invoked[] = [];
const runtime = await startRuntime({
  config,
  cluster,
  stateDirectory: start.stateDirectory,
  listen: start.listen,
  onSwept: (report) => say({ type: 'swept', report }),
  onInvoked: (functionName, durationMs) => {
    const endEpochMs = nowEpochMs();
    invocations.push({ functionName, startEpochMs: endEpochMs - durationMs, endEpochMs });
  },
});

runtime.onExecutionEvent((event) => {
  const { type, launchId } = event;
  const state = 'state' in event ? event.state : '';
  const error = 'error' in event && event.error !== undefined ? { error: event.error } : {};
  say({ type: 'event', event: { launchId, type, state, atEpochMs: nowEpochMs(), ...error } });
});
runtime.eventBus.onEvent(({ 'detail-type': type, detail }) => {
  if (type !== 'AgentPlaced') return;
  const atEpochMs = Date.parse(String(detail['at']));
  say({ type: 'event', event: { launchId: String(detail['launchId']), type: 'placed', state: '', atEpochMs } });
});
process.on('message', (message) => {
  const { id, question } = Question.parse(message);
  void answer(runtime, question).then((given) => say({ type: 'answer', id, answer: given }));
});
// The parent process has ended.
process.on('disconnect', () => process.exit());
const { url, launchesToken } = runtime;
say({ type: 'ready', url, launchesToken, webhookSecret: await runtime.webhookSecret('github') });

async function answer(davit: Runtime, question: Ask): Promise<unknown> {
  switch (question.ask) {
    case 'observe':
      return observe();
    case 'held':
      return held(davit);
    case 'sweep':
      return SweepReport.parse(await invoke(davit, 'sweep', question.event));
    case 'round': {
      const [swept] = await Promise.all([invoke(davit, 'sweep', { graceSeconds: 0 }), invoke(davit, 'reconcile', {})]);
      return SweepReport.parse(swept);
    }
  }
}

/** @throws Error when the function fails */
async function invoke(davit: Runtime, functionName: FunctionName, event: JsonValue): Promise<JsonValue> {
  const { payload, functionError } = await davit.invoke(functionName, event);
  if (functionError !== undefined) throw new Error(`${functionName} failed: ${JSON.stringify(payload)}`);
  return payload;
}

async function held({ ports: { executions, slots } }: Runtime): Promise<Held> {
  const limits = config.profiles.flatMap((profile) => slotLimitsOf([], profile));
  const ofLimits = limits.map(async ({ key: limit }) =>
    [...(await slots.get(limit)).values()].map(({ launchId }) => ({ launchId, limit })),
  );
  return { executions: [...(await executions.running())], slots: (await Promise.all(ofLimits)).flat() };
}

function observe(): Observation {
  const seen = { invocations };
  invocations = [];
  globalThis.gc?.();
  const { heapUsed: heapBytes, rss: residentBytes } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { ...seen, heapBytes, residentBytes, cpuMs: (user + system) / 1000 };
}

function say(message: Message): void {
  process.send?.(message);
}
