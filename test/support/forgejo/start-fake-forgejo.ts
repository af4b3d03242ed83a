import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from '../../../core/zod.ts';
import { listen } from '../listen.ts';
import { apiRoutes } from './api-routes.ts';
import { notFound } from './described-route.ts';
import { ForgejoState } from './forgejo-state.ts';
import { type Answer, type Route, refuse } from './route.ts';
import { runnerRoutes } from './runner-routes.ts';

/** A request that the fake has answered. */
export interface Exchange {
  method: string;
  /** With its query. */
  path: string;
  status: number;
}

/** A Forgejo for tests: the part of its API that davit uses, and the service of its runners. */
export interface FakeForgejo {
  /** Without a slash at its end. */
  url: string;
  /** The scope of its only token. */
  scope: string;
  token: string;
  state: ForgejoState;
  exchanges: Exchange[];
  /** Answers 503 to everybody while this is false. */
  isUp: boolean;
  /** Whether the token has the scope for it: `tokenRequiresScopes` in `routers/api/v1/api.go`. */
  mayReadRepositories: boolean;
  stop(): Promise<void>;
}

/** Settings of the fake. */
export interface FakeForgejoOptions {
  /** @default the system's */
  nowEpochMs?: () => number;
  /** Forgejo 15 does not say which run a job is part of, and lists no jobs of a run. @default 15 */
  version?: 15 | 16;
}

/** Starts a fake Forgejo. */
export async function startFakeForgejo({
  nowEpochMs = Date.now,
  version = 15,
}: FakeForgejoOptions = {}): Promise<FakeForgejo> {
  const state = new ForgejoState(nowEpochMs);
  const token = 'token-of-davit';
  const api = apiRoutes(state, version);
  const runners = runnerRoutes(state);

  function answer(method: string, url: URL, headers: IncomingHttpHeaders, body: unknown): Answer {
    if (!fake.isUp) return refuse(503, 'Service Unavailable');
    const path = url.pathname.replace(/^\/api\/v1/, '');
    const isApi = path !== url.pathname;
    if (isApi && headers.authorization !== `token ${fake.token}`)
      return refuse(401, 'invalid username, password or token');
    if (/^\/orgs\/(?!acme\/)/.test(path)) return notFound();
    if (isApi && path.startsWith('/repos') && !fake.mayReadRepositories)
      return refuse(403, 'token does not have at least one of required scope(s): [read:repository]');
    const routes: Route[] = isApi ? api : runners;
    for (const [wanted, pattern, respond] of routes) {
      const parts = wanted === method ? pattern.exec(path)?.slice(1).map(decodeURIComponent) : undefined;
      if (parts === undefined) continue;
      try {
        return respond(parts, { query: url.searchParams, headers, body });
      } catch (error) {
        if (error instanceof z.core.$ZodError) return refuse(422, error.message);
        throw error;
      }
    }
    return notFound();
  }

  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url = '/', headers } = request;
      const sent = await text(request);
      const answered = answer(
        method,
        new URL(url, 'http://forgejo'),
        headers,
        sent === '' ? undefined : JSON.parse(sent),
      );
      fake.exchanges.push({ method, path: url, status: answered.status });
      response.writeHead(answered.status, { 'content-type': 'application/json', ...answered.headers });
      response.end(answered.status === 204 ? undefined : JSON.stringify(answered.body));
    })();
  });
  const { url, stop } = await listen(server);
  const fake: FakeForgejo = {
    url,
    scope: 'orgs/acme',
    token,
    state,
    exchanges: [],
    isUp: true,
    mayReadRepositories: true,
    stop,
  };
  return fake;
}
