import { createHmac } from 'node:crypto';
import { type Answer, type Asked, byRoutes, serveJson } from '../serve-routes.ts';
import { agentRoutes } from './agent-routes.ts';
import { BuildkiteState } from './buildkite-state.ts';
import { refuse, tokenIn } from './route.ts';
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
  token: string;
  state: BuildkiteState;
  exchanges: Exchange[];
  /** Answers 503 to everybody while this is false. */
  isUp: boolean;
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
  const routes = { ...stackRoutes(state, queue), ...agentRoutes(state, () => fake.url) };
  const respond = byRoutes(routes, {
    notFound: () => refuse(404, 'Not found'),
    invalid: (message) => refuse(400, message),
  });

  async function answer(asked: Asked): Promise<Answer> {
    if (!fake.isUp) return refuse(503, 'Organization is temporarily unavailable');
    const isRefused = asked.path.startsWith('/stacks/') && !state.clusterTokens.has(tokenIn(asked));
    return isRefused ? refuse(401, 'Invalid agent registration token') : respond(asked);
  }

  const { url, stop } = await serveJson(async (asked) => {
    const { method, body } = asked;
    const path = asked.path.replace(/^\/v3/, '');
    const answered = await answer({ ...asked, path });
    fake.exchanges.push({ method, path, status: answered.status, body });
    return answered;
  });
  const [token = ''] = state.clusterTokens;
  const fake: FakeBuildkite = {
    url: `${url}/v3`,
    queue,
    token,
    state,
    exchanges: [],
    isUp: true,
    stop,
  };
  return fake;
}

/** Signs a webhook as Buildkite does. @see https://buildkite.com/docs/apis/webhooks/pipelines#webhook-signature */
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
