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

/** The decoded parts of a path that a route has names for. */
export type Parts = Readonly<Record<string, string>>;

/** What answers a request, by its method and its path: `GET /runners/{id}`. The first one that matches does. */
export type Routes = Readonly<Record<string, (parts: Parts, asked: Asked) => Answer | Promise<Answer>>>;

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
    const { route, parts } = find(`${asked.method} ${asked.path}`) ?? { route: notFound, parts: {} };
    try {
      return await route(parts, asked);
    } catch (error) {
      if (error instanceof z.core.$ZodError) return invalid(error.message);
      throw error;
    }
  };
}

/**
 * Makes a function that finds the route of a request.
 *
 * @param routes by regular expressions of the request, in which `{id}` is one part of a path, and `{*job}` any number of parts
 */
export function routeFinder<Route>(
  routes: Readonly<Record<string, Route>>,
): (request: string) => { route: Route; parts: Parts } | undefined {
  const compiled = Object.entries(routes).map(([pattern, route]) => [regExpOf(pattern), route] as const);
  return (request) => {
    for (const [pattern, route] of compiled) {
      const matched = pattern.exec(request);
      if (matched === null) continue;
      const parts = Object.entries(matched.groups ?? {}).map(([name, part]) => [name, decodeURIComponent(part)]);
      return { route, parts: Object.fromEntries(parts) };
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
