import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** A request as the server received it. */
export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
  body: unknown;
}

/** Answers one request. */
export type Answer = (response: ServerResponse, request: SeenRequest) => void;

/** An API server without state: a test scripts its answers. */
export interface FakeApiServer {
  url: string;
  requests: SeenRequest[];
  /** The number of connections so far. */
  connections: () => number;
  /** The answers to the next requests, in order; the last one repeats. */
  answer: (...answers: Answer[]) => void;
  stop: () => Promise<void>;
}

/** Starts the server on a free port of the loopback interface. */
export async function startFakeApiServer(): Promise<FakeApiServer> {
  let answers: Answer[] = [];
  let connections = 0;
  const requests: SeenRequest[] = [];

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
    const { authorization } = incoming.headers;
    const sent = await text(incoming);
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    const request = { method: incoming.method ?? '', path: pathname, query: searchParams, authorization, body };
    requests.push(request);
    const next = answers.length > 1 ? answers.shift() : answers[0];
    next?.(response, request);
  }

  const server = createServer((incoming, response) => void serve(incoming, response));
  server.on('connection', () => (connections += 1));
  const { url, stop } = await listen(server);
  return {
    url,
    requests,
    connections: () => connections,
    answer: (...given) => {
      answers = given;
    },
    stop,
  };
}

/** Answers with a JSON body. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Answers with a Status, as kube-apiserver refuses a request. */
export function refusal(code: number, reason: string, message: string, headers: Record<string, string> = {}): Answer {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return json(code, status, headers);
}

/** Answers with a watch that stays open after some chunks, or ends in a given way. */
export function watch(chunks: (string | Uint8Array)[], end: 'open' | 'closed' | 'cut' = 'open'): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    void stream(response, chunks, end);
  };
}

/** Sends each chunk by itself: the next one waits until the previous one has left and other tasks had a turn. */
async function stream(response: ServerResponse, chunks: (string | Uint8Array)[], end: string): Promise<void> {
  for (const chunk of chunks) {
    await new Promise<void>((resolve) => response.write(chunk, () => setImmediate(resolve)));
  }
  if (end === 'closed') response.end();
  if (end === 'cut') response.destroy();
}

/** One event line of a watch. */
export function event(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** Writes a kubeconfig with a bearer token for a server. */
export function kubeconfigOf(server: string, token = 'secret-token'): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    // The client speaks plain HTTP only when TLS verification is off.
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'davit', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'davit' } }],
  });
}
