import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import * as z from '../../core/zod.ts';
import { type Listening, listen } from './listen.ts';

/** A request to a fake server. */
export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Its JSON, or its text. */
  body: unknown;
}

/** An answer of a fake server. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** What answers a request, by its method and its path: `GET /runners/{id}`. The first one that matches does. */
export type Routes = Readonly<Record<string, Respond<Asked, Answer | Promise<Answer>>>>;

/** Answers a request. @param parameters the decoded parts of the path, by their names */
type Respond<Request, Reply> = (parameters: Readonly<Record<string, string>>, asked: Request) => Reply;

/** The answers to requests that no route can answer. */
export interface Refusals {
  notFound: () => Answer;
  /** The body is not what the route's schema says. */
  invalid: (message: string) => Answer;
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, body, headers };
}

/** Serves JSON on a free port of the loopback address. */
export async function serveJson(answer: (asked: Asked) => Promise<Answer>): Promise<Listening> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url = '/', headers } = request;
      const { pathname: path, searchParams: query } = new URL(url, 'http://localhost');
      const answered = await answer({ method, path, query, headers, body: await bodyOf(request) });
      response.writeHead(answered.status, { 'content-type': 'application/json', ...answered.headers });
      response.end(answered.body === undefined ? undefined : JSON.stringify(answered.body));
    })();
  });
  return listen(server);
}

/** Makes what answers by routes. */
export function byRoutes(routes: Routes, { notFound, invalid }: Refusals): (asked: Asked) => Promise<Answer> {
  const find = routeFinder(routes);
  return async (asked) => {
    try {
      return (await find(`${asked.method} ${asked.path}`)?.(asked)) ?? notFound();
    } catch (error) {
      if (error instanceof z.core.$ZodError) return invalid(error.message);
      throw error;
    }
  };
}

/**
 * Makes a function that finds what answers a request.
 *
 * @param routes by a pattern of the request, in which `{id}` is one part of a path, and `{*job}` any number of parts
 */
export function routeFinder<Request, Reply>(
  routes: Readonly<Record<string, Respond<Request, Reply>>>,
): (request: string) => ((asked: Request) => Reply) | undefined {
  const compiled = Object.entries(routes).map(([pattern, respond]) => [regExpOf(pattern), respond] as const);
  return (request) => {
    for (const [pattern, respond] of compiled) {
      const parts = pattern.exec(request);
      if (parts === null) continue;
      const parameters = Object.entries(parts.groups ?? {}).map(([name, part]) => [name, decodeURIComponent(part)]);
      return (asked) => respond(Object.fromEntries(parameters), asked);
    }
    return undefined;
  };
}

function regExpOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)').replaceAll(/\{\*(\w+)\}/g, '(?<$1>.*)')}$`);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const bytes = await buffer(request);
  const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
