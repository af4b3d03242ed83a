import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps, Agent as TlsAgent, type AgentOptions as TlsOptions } from 'node:https';
import * as z from '../zod.ts';

/** A request as it is sent. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: OutgoingHttpHeaders;
  body?: string | undefined;
}

/** An answer whose head has come. */
export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body, to be read to its end or be left: who stops iterating closes the connection. @throws ConnectionError */
  chunks: AsyncIterable<Uint8Array>;
}

/** A connection that could not be made, broke, or took too long; the message is Node's. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Speaks HTTP. */
export interface HttpClient {
  /** Sends a request. @param signal bounds the whole exchange, the body included @throws ConnectionError */
  send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer>;
}

/** What a client's connections are made with. */
export interface ConnectionOptions {
  /** `http:`, or another for TLS. */
  protocol: string;
  tls?: TlsOptions;
  /** How long a new connection may take, in milliseconds. @default as long as the whole exchange */
  connectMs?: number;
}

/**
 * How long a connection may rest between two calls. After a Lambda was frozen, one that rested for longer is closed
 * before it is used again: whatever stands between may have forgotten it.
 */
const restMs = 30_000;

/** Makes a client over connections that are kept and shared by all its calls. Nothing is sent yet. */
export function createHttpClient({ protocol, tls, connectMs }: ConnectionOptions): HttpClient {
  const keep = { keepAlive: true, timeout: restMs };
  const isPlain = protocol === 'http:';
  const agent = isPlain ? new Agent(keep) : new TlsAgent({ ...keep, ...tls });
  const open = isPlain ? requestHttp : requestHttps;
  return {
    async send({ method, url, headers, body }, signal) {
      const begin = () => withinConnectMs(open(url, { method, headers, agent, signal }), connectMs);
      const response = await connected(signal, () => answerOf(begin, body));
      return { status: response.statusCode ?? 0, headers: response.headers, chunks: chunksOf(response, signal) };
    },
  };
}

function withinConnectMs(request: ClientRequest, connectMs: number | undefined): ClientRequest {
  if (connectMs === undefined) return request;
  const late = () => request.destroy(new ConnectionError(`no connection within ${connectMs} ms`));
  const timer = setTimeout(late, connectMs);
  const stop = () => clearTimeout(timer);
  request.once('close', stop);
  return request.once('socket', (socket) => (socket.connecting ? socket.once('connect', stop) : stop()));
}

/**
 * Sends a request. A connection that rested may have been closed by the server just then: a read is made again by
 * another one. Whether a write took effect is not known; that is for who asked for it to find out.
 *
 * @see https://nodejs.org/api/http.html#requestreusedsocket
 */
async function answerOf(open: () => ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  for (;;) {
    const request = open();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    // Not once: after the answer has begun, errors are the answer's, and the request repeats them.
    request.on('error', reject);
    request.once('response', resolve);
    request.end(body);
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
    if (cause instanceof ConnectionError) throw cause;
    if (signal.aborted) throw new ConnectionError('no answer in time', { cause });
    const error = NodeError.safeParse(cause).data;
    // ERR_…: a mistake in how Node was called, except for what TLS says of a certificate.
    if (error === undefined || /^ERR_(?!TLS|SSL|OSSL|STREAM_PREMATURE_CLOSE)/.test(error.code)) throw cause;
    throw new ConnectionError(error.message.includes(error.code) ? error.message : `${error.code} ${error.message}`, {
      cause,
    });
  }
}
