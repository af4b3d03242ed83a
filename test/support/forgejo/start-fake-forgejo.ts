import { type Answer, type Asked, byRoutes, serveJson } from '../serve-routes.ts';
import { apiRoutes } from './api-routes.ts';
import { notFound, refuse } from './described-route.ts';
import { ForgejoState } from './forgejo-state.ts';
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
  const refusals = { notFound, invalid: (message: string) => refuse(422, message) };
  const respondToApi = byRoutes(apiRoutes(state, version), refusals);
  const respondToRunner = byRoutes(runnerRoutes(state), refusals);

  async function answer(asked: Asked): Promise<Answer> {
    if (!fake.isUp) return refuse(503, 'Service Unavailable');
    const path = asked.path.replace(/^\/api\/v1/, '');
    if (path === asked.path) return respondToRunner(asked);
    if (asked.headers.authorization !== `token ${fake.token}`)
      return refuse(401, 'invalid username, password or token');
    if (/^\/orgs\/(?!acme\/)/.test(path)) return notFound();
    if (path.startsWith('/repos') && !fake.mayReadRepositories)
      return refuse(403, 'token does not have at least one of required scope(s): [read:repository]');
    return respondToApi({ ...asked, path });
  }

  const { url, stop } = await serveJson(async (asked) => {
    const answered = await answer(asked);
    const { method, path, query } = asked;
    const withQuery = query.size === 0 ? path : `${path}?${query.toString()}`;
    fake.exchanges.push({ method, path: withQuery, status: answered.status });
    return answered;
  });
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
