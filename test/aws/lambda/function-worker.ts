import { parentPort, workerData } from 'node:worker_threads';
import { leaveOutUnused } from '../../../local/runtime/lean-kubernetes-client.ts';
import { loadAs, runAs, separateEnvironments, separateOutput } from './function-context.ts';
import type {
  FunctionErrorPayload,
  FunctionStart,
  WorkerInput,
  WorkerInvocation,
  WorkerMessage,
  WorkerStart,
} from './worker-protocol.ts';

/**
 * The thread of functions: loads shared modules, gets its functions by the first message, loads their modules once, then
 * runs each invocation that comes as a message.
 */

type Handler = (event: unknown, context: object) => unknown;

interface LoadedFunction {
  start: FunctionStart;
  handler: Handler;
}

const port = parentPort;
if (!port) throw new Error('function-worker.ts runs as a worker thread only');
const { moduleUrls }: WorkerInput = workerData;
const started = Promise.withResolvers<WorkerStart>();
const loaded = new Map<string, LoadedFunction>();

function send(message: WorkerMessage): void {
  port?.postMessage(message);
}

/** Formats a thrown value as the Lambda runtime for Node.js does. */
function errorPayload(thrown: unknown): FunctionErrorPayload {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return { errorType: thrown.name, errorMessage: thrown.message, trace: (thrown.stack ?? '').split('\n') };
}

async function load(start: FunctionStart): Promise<void> {
  const { functionName } = start;
  try {
    loaded.set(functionName, { start, handler: await loadAs(start, () => importHandler(start.moduleUrl)) });
    send({ type: 'ready', functionName });
  } catch (error) {
    send({ type: 'initFailed', functionName, error: errorPayload(error) });
  }
}

async function importHandler(moduleUrl: string): Promise<Handler> {
  const module: { handler?: unknown } = await import(moduleUrl);
  const handler = module.handler;
  if (typeof handler === 'function') return (event, context) => handler(event, context);
  const error = new Error(`handler.handler is undefined or not exported by ${moduleUrl}`);
  error.name = 'Runtime.HandlerNotFound';
  throw error;
}

function lambdaContext(start: FunctionStart, { requestId, deadlineEpochMs }: WorkerInvocation): object {
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: start.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: start.functionArn,
    logGroupName: `/aws/lambda/${start.functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: String(start.memoryMiB),
    getRemainingTimeInMillis: () => Math.max(0, deadlineEpochMs - Date.now()),
  };
}

async function run({ start, handler }: LoadedFunction, invocation: WorkerInvocation): Promise<void> {
  const { requestId } = invocation;
  try {
    const result = await handler(JSON.parse(invocation.eventJson), lambdaContext(start, invocation));
    send({ type: 'returned', requestId, resultJson: JSON.stringify(result ?? null) });
  } catch (error) {
    send({ type: 'threw', requestId, error: errorPayload(error) });
  }
}

separateOutput((text, functionName) =>
  send({ type: 'output', text, ...(functionName === undefined ? {} : { functionName }) }),
);
port.on('message', (message: WorkerStart | WorkerInvocation) => {
  if ('functions' in message) return started.resolve(message);
  const target = loaded.get(message.functionName);
  if (target !== undefined) void runAs(target.start, () => run(target, message));
});
leaveOutUnused();
// A module that does not load fails again in the function that needs it, which reports it.
await Promise.allSettled(moduleUrls.map((url) => import(url)));
const { functions } = await started.promise;
separateEnvironments(functions);
// One after the other: a shared module loads in the context of the first function that imports it.
for (const start of functions) await load(start);
