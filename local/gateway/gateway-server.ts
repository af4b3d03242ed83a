import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type JsonValue, parseJson } from '../json-value.ts';
import { type LoopbackServer, startLoopbackServer } from '../loopback-server.ts';
import { RequestBodyTooLargeError, readRequestBody } from '../request-body.ts';
import type { InvocationResult } from '../runtime/invocation.ts';
import type { CallerGuard } from './caller-guard.ts';
import { type HttpApiRequest, httpApiEvent } from './http-api-event.ts';
import { gatewayMessage, type HttpApiResponse, httpApiResponse } from './http-api-response.ts';
import { parseRequestTarget } from './request-target.ts';
import { matchRoute, type Route, type RouteMatch } from './route.ts';

/** One entry of the access log. */
export interface AccessLogEntry {
  requestId: string;
  method: string;
  /** The decoded path, or the original path if it is malformed. */
  path: string;
  routeKey?: string;
  status: number;
  durationMs: number;
  sourceIp: string;
  /** The reason why the gateway did not answer with the function's response: the error type, or the error itself. */
  integrationError?: string;
}

/** The settings of the gateway. */
export interface GatewayServerOptions {
  routes: readonly Route[];
  invokeFunction: (functionName: string, event: JsonValue) => Promise<InvocationResult>;
  onAccess?: (entry: AccessLogEntry) => void;
  /** Receives each answer to a request of a route. */
  onAnswer?: (routeKey: string, response: HttpApiResponse) => void;
  /** Refuses requests before the gateway passes them on. @default allows every request */
  guard?: CallerGuard;
  /** Whether requests are answered now, for `GET /readyz`. @default always */
  isReady?: () => boolean;
  /** @default 0, any free port */
  port?: number;
  /** @default '127.0.0.1' */
  host?: string;
  /** The time limit of a function, in milliseconds. @default 30000, the HTTP API's maximum */
  integrationTimeoutMs?: number;
  nowEpochMs?: () => number;
}

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const payloadLimitBytes = 10 * 1024 * 1024;
const headerLimitBytes = 10_240;
const integrationTimeoutMs = 30_000;

interface Answer {
  response: HttpApiResponse;
  routeKey?: string;
  integrationError?: string;
}

/** Stands in for an API Gateway HTTP API with Lambda proxy integrations, payload format 2.0, stage `$default`. */
export function startGatewayServer(options: GatewayServerOptions): Promise<LoopbackServer> {
  return startLoopbackServer((message, response) => void serve(options, message, response), {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    http: { maxHeaderSize: headerLimitBytes },
    onClientError: refuse,
  });
}

async function serve(options: GatewayServerOptions, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const nowEpochMs = options.nowEpochMs ?? Date.now;
  const receivedEpochMs = nowEpochMs();
  const requestId = randomUUID();
  const target = parseRequestTarget(message.url ?? '');
  const health = healthAnswer(options, message.method, target?.path);
  if (health !== undefined) return void send(response, requestId, { response: health });
  const answer = target
    ? await answerRequest(options, { message, requestId, receivedEpochMs, ...target })
    : { response: gatewayMessage(400, 'Bad Request') };
  const sent = send(response, requestId, answer);
  if (sent.routeKey !== undefined) options.onAnswer?.(sent.routeKey, sent.response);
  options.onAccess?.({
    requestId,
    method: message.method ?? '',
    path: target?.path ?? message.url ?? '',
    ...(sent.routeKey !== undefined && { routeKey: sent.routeKey }),
    status: sent.response.statusCode,
    durationMs: nowEpochMs() - receivedEpochMs,
    sourceIp: message.socket.remoteAddress ?? '',
    ...(sent.integrationError !== undefined && { integrationError: sent.integrationError }),
  });
}

/**
 * Answers the probes of a kubelet or a load balancer: `/healthz` as long as the process answers at all, `/readyz` if it
 * takes requests. They are no routes of davit's API, and not in the access log.
 */
function healthAnswer(
  { isReady }: GatewayServerOptions,
  method: string | undefined,
  path: string | undefined,
): HttpApiResponse | undefined {
  if (method !== 'GET' || (path !== '/healthz' && path !== '/readyz')) return undefined;
  const isWell = path === '/healthz' || (isReady?.() ?? true);
  return isWell ? gatewayMessage(200, 'OK') : gatewayMessage(503, 'Service Unavailable');
}

async function answerRequest(options: GatewayServerOptions, request: Omit<HttpApiRequest, 'body'>): Promise<Answer> {
  const match = matchRoute(options.routes, request.message.method ?? '', request.path);
  if (!match) return { response: gatewayMessage(404, 'Not Found') };
  const refusal = options.guard?.(request.message, match.route);
  if (refusal !== undefined) return { routeKey: match.routeKey, response: refusal };
  try {
    const isRead = match.route.readsBody ?? true;
    const body = isRead ? await readRequestBody(request.message, payloadLimitBytes) : Buffer.alloc(0);
    return { routeKey: match.routeKey, ...(await integrate(options, { ...request, body }, match)) };
  } catch (error) {
    if (error instanceof RequestBodyTooLargeError) return { response: gatewayMessage(413, 'Request Entity Too Large') };
    // The client disconnected while it sent its body.
    return { response: gatewayMessage(400, 'Bad Request'), integrationError: String(error) };
  }
}

async function integrate(options: GatewayServerOptions, request: HttpApiRequest, match: RouteMatch): Promise<Answer> {
  const event = parseJson(JSON.stringify(httpApiEvent(request, match)));
  const timeout = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(() => timeout.resolve('timeout'), options.integrationTimeoutMs ?? integrationTimeoutMs);
  try {
    const result = await Promise.race([options.invokeFunction(match.route.functionName, event), timeout.promise]);
    if (result === 'timeout') return failure(503, 'Service Unavailable', 'the integration timed out');
    if (result.functionError !== undefined) return failure(500, 'Internal Server Error', result.payload.errorType);
    const response = httpApiResponse(result.payload);
    return response ? { response } : failure(500, 'Internal Server Error', 'the response is not of format 2.0');
  } catch (error) {
    if (hasStatus(error, 413)) return failure(413, 'Request Entity Too Large', error.message);
    if (hasStatus(error, 429)) return failure(503, 'Service Unavailable', error.message);
    return failure(500, 'Internal Server Error', String(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Says whether Lambda itself would refuse the invocation with this status. */
function hasStatus(error: unknown, status: number): error is Error {
  return error instanceof Error && 'statusCode' in error && error.statusCode === status;
}

function failure(statusCode: number, message: string, integrationError: string): Answer {
  return { response: gatewayMessage(statusCode, message), integrationError };
}

/** Sends an answer. Sends a 500 instead if HTTP does not allow its headers. */
function send(response: ServerResponse, requestId: string, answer: Answer): Answer {
  try {
    write(response, requestId, answer.response);
    return answer;
  } catch (error) {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const internalError = failure(500, 'Internal Server Error', String(error));
    write(response, requestId, internalError.response);
    return { ...answer, ...internalError };
  }
}

function write(response: ServerResponse, requestId: string, { statusCode, headers, cookies, body }: HttpApiResponse) {
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries(headers)) {
    if (name !== 'content-length' && name !== 'transfer-encoding' && name !== 'connection')
      response.setHeader(name, value);
  }
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.setHeader('apigw-requestid', requestId);
  response.setHeader('content-length', body.length);
  response.end(body);
}

/** Refuses a request that Node cannot parse as HTTP: too many header bytes, a NUL, or no HTTP at all. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const statusCode = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const { body } = gatewayMessage(statusCode, STATUS_CODES[statusCode] ?? '');
  socket.end(
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nconnection: close\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.toString()}`,
  );
}
