import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import type { ClusterAccess } from './cluster-access.ts';

/** One call of the Kubernetes API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** With the names in it encoded. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: object;
}

/** An answer that is no success. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];

  constructor(status: number, body: string, headers: IncomingMessage['headers'] = {}) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A connection that could not be made, broke, or took too long; the message is Node's. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Speaks HTTP with one API server. Both methods throw ApiRefusal, ConnectionError, and what `authorization` throws. */
export interface ApiClient {
  /** Makes a call. @returns the answer's body */
  call: (request: ApiRequest, signal: AbortSignal) => Promise<string>;
  /** Makes a call whose answer comes bit by bit. Who stops iterating closes the connection. */
  stream: (request: ApiRequest, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
}

/**
 * How long a connection may rest between two calls. After a Lambda was frozen, one that rested for longer is closed
 * before it is used again: whatever stands between may have forgotten it.
 */
const restMs = 30_000;

/** Makes a client over connections that are kept and shared by all its calls. Nothing is sent yet. */
export function createApiClient({ endpoint, tls, authorization }: ClusterAccess): ApiClient {
  const keep = { keepAlive: true, timeout: restMs };
  const isPlain = endpoint.startsWith('http:');
  const agent = isPlain ? new Agent(keep) : new TlsAgent({ ...keep, ...tls });
  const request = isPlain ? requestHttp : requestHttps;

  async function send({ method, path, query = {}, body }: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const search = new URLSearchParams(query).toString();
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const authorized = await authorization();
    const headers = {
      accept: 'application/json',
      'user-agent': 'davit',
      ...(authorized === undefined ? {} : { authorization: authorized }),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    };
    const url = `${endpoint}${path}${search === '' ? '' : `?${search}`}`;
    const response = await answerOf(() => request(url, { method, headers, agent, signal }), payload);
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return response;
    throw new ApiRefusal(statusCode, await text(response), response.headers);
  }

  return {
    call: (asked, signal) => connected(signal, async () => await text(await send(asked, signal))),
    stream: (asked, signal) => connected(signal, async () => chunksOf(await send(asked, signal), signal)),
  };
}

/**
 * Sends a request. A connection that rested may have been closed by the server just then: a read is made again by
 * another one. Whether a write took effect is not known; that is for who asked for it to find out.
 *
 * @see https://nodejs.org/api/http.html#requestreusedsocket
 */
async function answerOf(open: () => ClientRequest, payload: string | undefined): Promise<IncomingMessage> {
  for (;;) {
    const request = open();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    // Not once: after the answer has begun, errors are the answer's, and the request repeats them.
    request.on('error', reject);
    request.once('response', resolve);
    request.end(payload);
    try {
      return await promise;
    } catch (error) {
      if (!(request.method === 'GET' && request.reusedSocket && isClosed(error))) throw error;
    }
  }
}

async function* chunksOf(response: IncomingMessage, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = response[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await connected(signal, () => chunks.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    response.destroy();
  }
}

const NodeError = z.object({ code: z.string(), message: z.string() });

function isClosed(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(NodeError.safeParse(error).data?.code ?? '');
}

/** The place where the errors of sockets and of TLS, which carry a code, get their type. */
async function connected<Result>(signal: AbortSignal, talk: () => Promise<Result>): Promise<Result> {
  try {
    return await talk();
  } catch (cause) {
    if (cause instanceof ApiRefusal) throw cause;
    if (signal.aborted) throw new ConnectionError('no answer in time', { cause });
    const error = NodeError.safeParse(cause).data;
    // ERR_…: a mistake in how Node was called, except for what TLS says of a certificate.
    if (error === undefined || /^ERR_(?!TLS|SSL|OSSL|STREAM_PREMATURE_CLOSE)/.test(error.code)) throw cause;
    throw new ConnectionError(error.message.includes(error.code) ? error.message : `${error.code} ${error.message}`, {
      cause,
    });
  }
}
