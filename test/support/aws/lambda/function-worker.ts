import { parentPort, workerData } from 'node:worker_threads';
import { errorPayload } from '../../../../local/runtime/invocation.ts';
import { leaveOutUnused } from '../../../../local/runtime/lean-kubernetes-client.ts';
import { loadAs, runAs, separateEnvironments, separateOutput } from './function-context.ts';
import type { FunctionStart, WorkerInput, WorkerInvocation, WorkerMessage } from './worker-protocol.ts';

/** The thread of functions: loads their modules once, then runs each invocation that comes as a message. */

type Handler = (event: unknown, context: object) => unknown;

interface LoadedFunction {
  start: FunctionStart;
  handler: Handler;
}

const port = parentPort;
if (!port) throw new Error('function-worker.ts runs as a worker thread only');
const { functions }: WorkerInput = workerData;
const loaded = new Map<string, LoadedFunction>();

function send(message: WorkerMessage): void {
  port?.postMessage(message);
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
port.on('message', (message: WorkerInvocation) => {
  const target = loaded.get(message.functionName);
  if (target !== undefined) void runAs(target.start, () => run(target, message));
});
leaveOutUnused();
separateEnvironments(functions);
// One after the other: a shared module loads in the context of the first function that imports it.
for (const start of functions) await load(start);
