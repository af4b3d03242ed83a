/**
 * Stands in for Lambda's runtime for Node.js, as far as davit's functions need it: loads the module that `_HANDLER`
 * names, then asks the Runtime API for one invocation after another. It runs in a process and a folder of its own, so
 * it imports only Node's modules.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

type Handler = (event: unknown, context: object) => unknown;

const variable = (name: string): string => process.env[name] ?? '';

// The process that started this one holds the other end.
process.stdin.resume().once('close', () => process.exit());

const handle = await loadHandler().catch(async (error: unknown) => {
  await call('POST', 'init/error', errorPayload(error));
  return process.exit(1);
});
for (;;) await runNext();

async function loadHandler(): Promise<Handler> {
  const [moduleName = '', exported = ''] = variable('_HANDLER').split('.');
  const url = pathToFileURL(join(variable('LAMBDA_TASK_ROOT'), `${moduleName}.mjs`)).href;
  const module: Record<string, unknown> = await import(url);
  const handler = module[exported];
  if (typeof handler === 'function') return (event, context) => handler(event, context);
  const error = new Error(`${variable('_HANDLER')} is undefined or not exported`);
  error.name = 'Runtime.HandlerNotFound';
  throw error;
}

async function runNext(): Promise<void> {
  const { headers, body } = await call('GET', 'invocation/next');
  const requestId = headers['lambda-runtime-aws-request-id']?.toString() ?? '';
  try {
    const result = await handle(JSON.parse(body), lambdaContext(requestId, headers));
    await call('POST', `invocation/${requestId}/response`, result ?? null);
  } catch (error) {
    await call('POST', `invocation/${requestId}/error`, errorPayload(error));
  }
}

function lambdaContext(requestId: string, headers: IncomingHttpHeaders): object {
  const deadlineEpochMs = Number(headers['lambda-runtime-deadline-ms']);
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: variable('AWS_LAMBDA_FUNCTION_NAME'),
    functionVersion: variable('AWS_LAMBDA_FUNCTION_VERSION'),
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    logGroupName: variable('AWS_LAMBDA_LOG_GROUP_NAME'),
    logStreamName: variable('AWS_LAMBDA_LOG_STREAM_NAME'),
    memoryLimitInMB: variable('AWS_LAMBDA_FUNCTION_MEMORY_SIZE'),
    getRemainingTimeInMillis: () => Math.max(0, deadlineEpochMs - Date.now()),
  };
}

/** Formats a thrown value as the Lambda runtime for Node.js does. */
function errorPayload(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return { errorType: thrown.name, errorMessage: thrown.message, trace: (thrown.stack ?? '').split('\n') };
}

/**
 * Calls the Runtime API, on a connection of its own. There is no time-out, because the next invocation may come much
 * later.
 */
async function call(
  method: string,
  path: string,
  content?: unknown,
): Promise<{ headers: IncomingHttpHeaders; body: string }> {
  const url = `http://${variable('AWS_LAMBDA_RUNTIME_API')}/2018-06-01/runtime/${path}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, agent: false }, resolve).once('error', reject);
    sent.end(content === undefined ? undefined : JSON.stringify(content));
  });
  return { headers: response.headers, body: await text(response) };
}
