import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import * as z from '../../../core/zod.ts';
import { listen } from '../listen.ts';
import { agentRoutes } from './agent-routes.ts';
import { BuildkiteState } from './buildkite-state.ts';
import { type Answer, refuse } from './route.ts';
import { stackRoutes } from './stack-routes.ts';

/** A request that the fake has answered. */
export interface Exchange {
  method: string;
  path: string;
  status: number;
  body: unknown;
}

/** A Buildkite for tests: its stacks API and its agent API. Its own agent runs jobs here. */
export interface FakeBuildkite {
  /** The URL of the agent API, without a slash at its end. */
  url: string;
  queue: string;
  /** A token of the cluster. */
  token: string;
  state: BuildkiteState;
  exchanges: Exchange[];
  /** Answers 503 to everybody while this is false. */
  isUp: boolean;
  /** Answers 429 to everybody while this is true, without `Retry-After`, as its documents of the limits show. */
  isThrottling: boolean;
  stop(): Promise<void>;
}

/** Settings of the fake. */
export interface FakeBuildkiteOptions {
  /** @default the system's */
  nowEpochMs?: () => number;
}

/** Starts a fake Buildkite. */
export async function startFakeBuildkite({ nowEpochMs = Date.now }: FakeBuildkiteOptions = {}): Promise<FakeBuildkite> {
  const queue = 'default';
  const state = new BuildkiteState(nowEpochMs);
  const stacks = stackRoutes(state, queue);
  const agents = agentRoutes(state, () => fake.url);

  function answer(method: string, pathname: string, query: URLSearchParams, token: string, body: unknown): Answer {
    if (!fake.isUp) return refuse(503, 'Organization is temporarily unavailable');
    if (fake.isThrottling) return refuse(429, 'You have exceeded your rate limit');
    const isStack = pathname.startsWith('/stacks/');
    if (isStack && !state.clusterTokens.has(token)) return refuse(401, 'Invalid agent registration token');
    for (const [wanted, pattern, respond] of isStack ? stacks : agents) {
      const parts = wanted === method ? pattern.exec(pathname)?.slice(1).map(decodeURIComponent) : undefined;
      if (parts === undefined) continue;
      try {
        return respond(parts, { query, token, body });
      } catch (error) {
        if (error instanceof z.core.$ZodError) return refuse(400, error.message);
        throw error;
      }
    }
    return refuse(404, 'Not found');
  }

  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url = '/', headers } = request;
      const body = await read(request);
      const { pathname, searchParams } = new URL(url, 'http://buildkite');
      const path = pathname.replace(/^\/v3/, '');
      const token = (headers.authorization ?? '').replace(/^Token /, '');
      const answered = answer(method, path, searchParams, token, body);
      fake.exchanges.push({ method, path, status: answered.status, body });
      response.writeHead(answered.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answered.body));
    })();
  });
  const { url, stop } = await listen(server);
  const [token = ''] = state.clusterTokens;
  const fake: FakeBuildkite = {
    url: `${url}/v3`,
    queue,
    token,
    state,
    exchanges: [],
    isUp: true,
    isThrottling: false,
    stop,
  };
  return fake;
}

async function read(request: IncomingMessage): Promise<unknown> {
  const bytes = await buffer(request);
  const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Signs a webhook as Buildkite does.
 *
 * @see https://buildkite.com/docs/apis/webhooks/pipelines#webhook-signature
 */
export function signedHook(
  secret: string,
  event: string,
  body: string,
  atEpochMs = Date.now(),
): Record<string, string> {
  const timestamp = Math.floor(atEpochMs / 1000);
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return {
    'content-type': 'application/json',
    'x-buildkite-event': event,
    'x-buildkite-signature': `timestamp=${timestamp},signature=${signature}`,
  };
}
