import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type JsonValue, parseJson } from '../../../../local/json-value.ts';
import { type LoopbackServer, startLoopbackServer, stopOnce } from '../../../../local/loopback-server.ts';
import { RequestBodyTooLargeError, readRequestBody } from '../../../../local/request-body.ts';
import { TooManyRequests } from '../../../../local/runtime/invocation.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import { checkSignature, defaultSecretAccessKey } from '../request-signature.ts';
import { openEventQueue } from './event-queue.ts';
import { type FunctionHost, requestTooLarge, SYNC_PAYLOAD_LIMIT_BYTES } from './function-host.ts';
import { functionNameOf } from './function-name.ts';

/** The settings of the local Lambda API. */
export interface LambdaServerOptions {
  host: Pick<FunctionHost, 'has' | 'invoke'>;
  /** The secret access key that must sign every request. @default 'local', for tests */
  secretAccessKey?: string;
  /** The file to which the event of each asynchronous invocation is appended. */
  journalPath?: string;
  /** Pauses before the retries of an asynchronous invocation. @default one and two minutes, as on AWS */
  retryDelaysMs?: readonly number[];
  /** Receives each asynchronous invocation that failed in its last attempt. @default console.error */
  onDropped?: (functionName: string, reason: string) => void;
}

/** A running Lambda API. */
export interface LambdaServer extends LoopbackServer {
  /** Queues an event for a function, as an invocation of type Event does. Does nothing after the stop. */
  invokeLater(functionName: string, event: JsonValue): void;
}

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
export const ASYNC_PAYLOAD_LIMIT_BYTES = 1024 * 1024;

const INVOKE_PATH = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

interface Invocation {
  functionName: string;
  type: string;
  event: JsonValue;
}

/** Serves Lambda's Invoke: RequestResponse and Event. */
export async function startLambdaServer(options: LambdaServerOptions): Promise<LambdaServer> {
  const onDropped = options.onDropped ?? ((name, reason) => console.error(`${name}: event dropped: ${reason}`));
  const queue = openEventQueue({ ...options, onDropped });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('x-amzn-requestid', randomUUID());
    const invocation = await readInvocation(options, request);
    if (invocation.type === 'Event') {
      queue.add(invocation.functionName, invocation.event);
      return end(response, 202);
    }
    const result = await options.host.invoke(invocation.functionName, invocation.event);
    response.setHeader('x-amzn-requestid', result.requestId);
    response.setHeader('x-amz-executed-version', '$LATEST');
    if (result.functionError) response.setHeader('x-amz-function-error', result.functionError);
    return end(response, 200, result.payload);
  }

  const server = await startLoopbackServer((request, response) => {
    answer(request, response).catch((error: unknown) => answerError(response, error));
  });
  const stop = stopOnce(async () => {
    await server.stop();
    queue.stop();
  });
  const invokeLater = (functionName: string, event: JsonValue) => queue.add(functionName, event);
  return { ...server, invokeLater, stop, [Symbol.asyncDispose]: stop };
}

async function readInvocation(
  { host, secretAccessKey = defaultSecretAccessKey }: LambdaServerOptions,
  request: IncomingMessage,
): Promise<Invocation> {
  const type = String(request.headers['x-amz-invocation-type'] ?? 'RequestResponse');
  const limitBytes = type === 'Event' ? ASYNC_PAYLOAD_LIMIT_BYTES : SYNC_PAYLOAD_LIMIT_BYTES;
  const body = await readRequestBody(request, limitBytes);
  await checkSignature(request, body, secretAccessKey);
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const [, encodedName] = INVOKE_PATH.exec(path) ?? [];
  if (request.method !== 'POST' || encodedName === undefined) {
    throw new AwsServiceError('UnknownOperationException', `${request.method} ${path} is not served here.`, 404);
  }
  const functionName = functionNameOf(decodeURIComponent(encodedName));
  if (!host.has(functionName)) {
    throw new AwsServiceError('ResourceNotFoundException', `Function not found: ${functionName}`, 404);
  }
  return { functionName, type, event: parseEvent(body) };
}

function parseEvent(body: Buffer): JsonValue {
  if (body.length === 0) return {};
  try {
    return parseJson(body.toString());
  } catch (error) {
    const message = `Could not parse request body into json: ${String(error)}`;
    throw new AwsServiceError('InvalidRequestContentException', message);
  }
}

function end(response: ServerResponse, statusCode: number, body?: JsonValue): void {
  response.statusCode = statusCode;
  response.setHeader('content-type', 'application/json');
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function answerError(response: ServerResponse, error: unknown): void {
  const serviceError = asServiceError(error);
  if (serviceError.name === 'ServiceException') console.error(error);
  response.setHeader('x-amzn-errortype', serviceError.name);
  end(response, serviceError.statusCode, {
    Type: 'User',
    Message: serviceError.message,
    message: serviceError.message,
  });
}

function asServiceError(error: unknown): AwsServiceError {
  if (error instanceof AwsServiceError) return error;
  if (error instanceof TooManyRequests) return new AwsServiceError('TooManyRequestsException', error.message, 429);
  if (error instanceof RequestBodyTooLargeError) return requestTooLarge(error.limitBytes);
  if (error instanceof URIError) return new AwsServiceError('ValidationException', error.message);
  return new AwsServiceError('ServiceException', 'The local service failed; its log says why.', 500);
}
