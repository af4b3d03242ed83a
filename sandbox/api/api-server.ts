import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { failure, internalError, StatusError } from '../store/status-error.ts';
import { reviewAccess } from './access.ts';
import { type Answer, sendJson } from './answer.ts';
import { checkToken, type TokenCheck } from './authentication.ts';
import { makeServerCertificate } from './certificates.ts';
import { discoveryDocument } from './discovery.ts';
import { type AnswerContext, objectAnswer } from './object-answer.ts';
import { readObject } from './request-body.ts';
import { resourceRoute } from './route.ts';

/** The settings of the API server. */
export interface ApiServerOptions extends AnswerContext {
  /** Decides whether a bearer token belongs to the cluster's only user. */
  isToken: TokenCheck;
  /** The port on the loopback address. 0 takes any free port. */
  port: number;
  /** Receives errors that are not a StatusError and are therefore bugs. */
  onError: (error: unknown) => void;
}

/** A running API server. */
export interface ApiServer {
  url: string;
  /** The certificate of the authority that signed the server's certificate, in PEM. */
  caPem: string;
  /** Closes all connections and stops listening. */
  stop(): Promise<void>;
}

/** Longer than clients keep an idle connection, so that the server never closes one just as a client reuses it. */
const keepAliveMs = 90_000;

const accessReviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

async function answerTo(
  options: ApiServerOptions,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { method = 'GET' } = request;
  const url = new URL(request.url ?? '/', 'https://sandbox');
  checkToken(options.isToken, request.headers.authorization, url.pathname);
  const route = resourceRoute(method, url);
  if (route !== undefined) return objectAnswer(options, { request, route, query: url.searchParams, signal });
  if (url.pathname === accessReviews && method === 'POST') {
    return reviewAccess(options.denied, await readObject(request, 'SelfSubjectAccessReview'));
  }
  if (url.pathname.startsWith('/api/v1/')) {
    throw failure(404, 'NotFound', 'the server could not find the requested resource', {});
  }
  const document = method === 'GET' ? discoveryDocument(url.pathname) : undefined;
  return document === undefined ? { code: 404, body: '404 page not found\n' } : { code: 200, body: document };
}

async function send(answer: Answer | undefined, response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (answer === undefined) {
    response.destroy();
  } else if ('stream' in answer) {
    response.writeHead(answer.code, { 'content-type': answer.contentType, 'cache-control': 'no-cache, private' });
    // Tells the client at once that it is connected, even if there is no data yet.
    response.flushHeaders();
    await answer.stream(response, signal);
  } else {
    sendJson(response, answer);
  }
}

function sendError(error: StatusError, response: ServerResponse): void {
  const { code, details } = error.status;
  const retryAfter = details?.retryAfterSeconds;
  sendJson(response, {
    code,
    body: error.status,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
  });
}

async function handle(options: ApiServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const connection = new AbortController();
  response.once('close', () => connection.abort());
  try {
    await send(await answerTo(options, request, connection.signal), response, connection.signal);
  } catch (error) {
    if (!(error instanceof StatusError) && !connection.signal.aborted) options.onError(error);
    if (response.headersSent) {
      response.destroy();
    } else {
      sendError(error instanceof StatusError ? error : internalError(String(error)), response);
    }
  }
}

/** Starts a Kubernetes API server on the loopback address, with a new certificate. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { keyPem, certificatePem } = await makeServerCertificate();
  const server = createServer(
    { key: keyPem, cert: certificatePem, keepAliveTimeout: keepAliveMs },
    (request, response) => {
      void handle(options, request, response);
    },
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(options.port, '127.0.0.1', resolve);
  await listening;
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    caPem: certificatePem,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        // closeAllConnections() leaves out a connection whose TLS handshake is not done, and nothing would close it later.
        for (const socket of sockets) socket.destroy();
      }),
  };
}
