import { parentPort, workerData } from 'node:worker_threads';
import type { FunctionErrorPayload, WorkerInvocation, WorkerMessage, WorkerStart } from './worker-protocol.ts';

/** The thread that one function runs in: loads its module once, then runs each invocation that comes by message. */

type Handler = (event: unknown, context: object) => unknown;

const port = parentPort;
if (!port) throw new Error('function-worker.ts runs as a worker thread only');
const start: WorkerStart = workerData;

function send(message: WorkerMessage): void {
  port?.postMessage(message);
}

/** Shapes what was thrown as the Lambda runtime for Node.js does. */
function errorPayload(thrown: unknown): FunctionErrorPayload {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return { errorType: thrown.name, errorMessage: thrown.message, trace: (thrown.stack ?? '').split('\n') };
}

async function loadHandler(): Promise<Handler> {
  const module: { handler?: unknown } = await import(start.moduleUrl);
  const handler = module.handler;
  if (typeof handler === 'function') return (event, context) => handler(event, context);
  const error = new Error(`handler.handler is undefined or not exported by ${start.moduleUrl}`);
  error.name = 'Runtime.HandlerNotFound';
  throw error;
}

function lambdaContext({ requestId, deadlineEpochMs }: WorkerInvocation): object {
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

async function runInvocation(handler: Handler, invocation: WorkerInvocation): Promise<void> {
  const { requestId } = invocation;
  try {
    const result = await handler(JSON.parse(invocation.eventJson), lambdaContext(invocation));
    send({ type: 'returned', requestId, resultJson: JSON.stringify(result ?? null) });
  } catch (error) {
    send({ type: 'threw', requestId, error: errorPayload(error) });
  }
}

try {
  const handler = await loadHandler();
  port.on('message', (invocation: WorkerInvocation) => void runInvocation(handler, invocation));
  send({ type: 'ready' });
} catch (error) {
  send({ type: 'initFailed', error: errorPayload(error) });
}
