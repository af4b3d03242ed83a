import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithIAMAuthorizer } from 'aws-lambda';
import { LOCAL_ACCOUNT_ID, localCaller } from './local-caller.ts';
import type { RouteMatch } from './route.ts';

/** A request with a parsed target. */
export interface HttpApiRequest {
  message: IncomingMessage;
  requestId: string;
  /** Percent-decoded, as API Gateway passes it on. */
  path: string;
  /** Not decoded, without the question mark. */
  queryString: string;
  body: Buffer;
  receivedEpochMs: number;
}

// These headers concern only the connection between the client and the gateway.
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade']);

// The body is text only for these types. It is base64 for all others, including forms and bodies without a type.
const textTypes = /^(?:text\/.+|application\/(?:json|xml|javascript))$/;

/**
 * Makes the event of payload format 2.0.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function httpApiEvent(
  request: HttpApiRequest,
  match: RouteMatch,
): APIGatewayProxyEventV2 | APIGatewayProxyEventV2WithIAMAuthorizer {
  const { message, path, queryString } = request;
  const { headers, cookies } = readHeaders(message, request.receivedEpochMs);
  const queryStringParameters = readQuery(queryString);
  const { pathParameters, routeKey } = match;
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: queryString,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(Object.keys(queryStringParameters).length > 0 && { queryStringParameters }),
    requestContext: {
      accountId: LOCAL_ACCOUNT_ID,
      apiId: 'local',
      ...(match.route.authorization === 'iam' && { authorizer: localCaller() }),
      domainName: hostName(headers),
      domainPrefix: hostName(headers).split('.')[0] ?? '',
      http: {
        method: message.method ?? '',
        path,
        protocol: `HTTP/${message.httpVersion}`,
        sourceIp: message.socket.remoteAddress ?? '',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: request.requestId,
      routeKey,
      stage: '$default',
      time: commonLogTime(request.receivedEpochMs),
      timeEpoch: request.receivedEpochMs,
    },
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...readBody(request.body, headers),
  };
}

/** Reads the headers: lower-cases their names and joins repeated ones with a comma. Cookies have their own field. */
function readHeaders(message: IncomingMessage, nowEpochMs: number) {
  const headers = new Map<string, string>();
  const cookies: string[] = [];
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index]?.toLowerCase() ?? '';
    const value = message.rawHeaders[index + 1] ?? '';
    if (name === 'cookie') cookies.push(...value.split(';').map((cookie) => cookie.trim()));
    else if (!hopByHop.has(name)) addJoined(headers, name, value);
  }
  const sourceIp = message.socket.remoteAddress ?? '';
  const forwardedFor = headers.get('x-forwarded-for');
  headers.set('x-forwarded-for', forwardedFor === undefined ? sourceIp : `${forwardedFor}, ${sourceIp}`);
  headers.set('x-forwarded-port', String(message.socket.localPort ?? ''));
  headers.set('x-forwarded-proto', 'http');
  if (!headers.has('x-amzn-trace-id')) headers.set('x-amzn-trace-id', newTraceId(nowEpochMs));
  return { headers: Object.fromEntries(headers), cookies };
}

/** @see https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html#xray-api-traceids */
function newTraceId(nowEpochMs: number): string {
  return `Root=1-${Math.floor(nowEpochMs / 1_000).toString(16)}-${randomBytes(12).toString('hex')}`;
}

function readQuery(queryString: string): Record<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(queryString)) addJoined(parameters, name, value);
  return Object.fromEntries(parameters);
}

function addJoined(values: Map<string, string>, name: string, value: string): void {
  const earlier = values.get(name);
  values.set(name, earlier === undefined ? value : `${earlier},${value}`);
}

function readBody(body: Buffer, headers: Record<string, string>): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';');
  const isText = textTypes.test(mediaType.trim().toLowerCase());
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

function hostName(headers: Record<string, string>): string {
  return (headers['host'] ?? '').replace(/:\d+$/, '');
}

/** Formats a time such as `12/Mar/2020:19:03:58 +0000`. */
function commonLogTime(epochMs: number): string {
  const [, day, month, year, time] = new Date(epochMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
