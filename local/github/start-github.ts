import { createHash, type KeyObject, randomUUID, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LoopbackServer, startLoopbackServer } from '../loopback-server.ts';
import { actionsRoutes } from './actions-routes.ts';
import { appRoutes, type Delivery, type GithubWebhook } from './app-routes.ts';
import { type GithubLimits, RateCounter } from './github-limits.ts';
import { type GithubListener, GithubState } from './github-state.ts';
import { type Answer, route } from './route.ts';
import { runnerRoutes } from './runner-routes.ts';

/** An exchange between a client and a GitHub. */
export interface Exchange {
  method: string;
  /** Without the query. */
  path: string;
  requestBody: unknown;
  status: number;
  responseBody: unknown;
}

/** A GitHub with the features that davit needs: it queues jobs, hands them to runners, and answers GitHub's API. */
export interface LocalGithub extends LoopbackServer {
  state: GithubState;
  /** A personal access token that is accepted. */
  token: string;
  /** Answers the next requests with this status and message, until it is undefined again. */
  failWith?: { status: number; headers?: Record<string, string>; message?: string } | undefined;
  /** Runs after a request has taken effect, and before its answer. */
  beforeAnswer?: ((method: string, path: string) => Promise<void>) | undefined;
  /** The App's webhook, as its settings show it. */
  hook: GithubWebhook;
  /** The webhooks of the organizations, by their ids. */
  orgHooks: GithubWebhook[];
  /** The public part of the App's only key. Until it is set, every key is the App's. */
  appKey?: KeyObject | undefined;
  /** The attempts to deliver webhooks, as the App's own list shows them. */
  deliveries: Delivery[];
  /** Makes another attempt of a delivery when davit asks for it. @default GitHub only answers that it will */
  onRedeliver?: ((delivery: Delivery) => Promise<unknown>) | undefined;
  /** The attempts that davit requested again. */
  redelivered: number[];
  /** The commit statuses, by `owner/name/sha`. */
  statuses: Map<string, unknown[]>;
}

/** The settings of a local GitHub. */
export interface LocalGithubOptions extends GithubListener {
  organizations: readonly string[];
  /** The address at which davit and runners reach it. @default the loopback address */
  listen?: string;
  /** Receives each exchange with a client, except the requests of runners. */
  onExchange?: (exchange: Exchange) => void;
  /** Its rate limits. @default none */
  limits?: GithubLimits;
  /** Receives the error of a request that failed. */
  onFailure: (error: unknown) => void;
}

/** Starts a GitHub. */
export async function startGithub(options: LocalGithubOptions): Promise<LocalGithub> {
  const state = new GithubState(options);
  const token = randomUUID();
  const statuses: LocalGithub['statuses'] = new Map();
  const hook: GithubWebhook = { url: '', events: ['workflow_job'] };
  const orgHooks: GithubWebhook[] = [];
  const deliveries: Delivery[] = [];
  const redelivered: number[] = [];
  const organizations = new Set(options.organizations);
  const limiter = options.limits === undefined ? undefined : new RateCounter(options.limits);
  const own = runnerRoutes(state);
  const api = [
    ...actionsRoutes(state, statuses, organizations, () => github.url),
    ...appRoutes(token, organizations, hook, orgHooks, deliveries, redeliver),
  ];

  function redeliver(delivery: Delivery): void {
    redelivered.push(delivery.id);
    github.onRedeliver?.(delivery).catch(options.onFailure);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    // The path of the API on an Enterprise Server.
    const path = pathname.replace(/^\/api\/v3(?=\/)/, '');
    const method = request.method ?? 'GET';
    const sent = await text(request);
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    const isRunners = path.startsWith('/_runner/');
    const failure = isRunners ? undefined : github.failWith;
    const limited = isRunners ? undefined : limiter?.begin(method);
    const {
      status,
      body: answered,
      headers: given,
    } = isRunners
      ? route(own, method, path, { query, body })
      : (limited?.refusal ?? refusalOf(request) ?? route(api, method, path, { query, body }));
    if (!isRunners) options.onExchange?.({ method, path, requestBody: body, status, responseBody: answered });
    await github.beforeAnswer?.(method, path);
    const content = answered === undefined ? undefined : JSON.stringify(answered);
    const headers = { 'content-type': 'application/json', ...given, ...limited?.headers, ...failure?.headers };
    if (method !== 'GET' || status !== 200 || content === undefined) {
      response.writeHead(status, headers).end(content);
      return;
    }
    const etag = `"${createHash('sha256').update(content).digest('base64url')}"`;
    if (request.headers['if-none-match'] === etag)
      response.writeHead(304, { ...headers, ...limiter?.unchanged() }).end();
    else response.writeHead(status, { ...headers, etag }).end(content);
  }

  function refusalOf({ headers: { authorization = '' } }: IncomingMessage): Answer | undefined {
    if (github.failWith !== undefined) {
      const { status, message = 'as the test wants it' } = github.failWith;
      return { status, body: { message } };
    }
    const jwt = /^bearer ([\w-]+\.[\w-]+)\.([\w-]+)$/i.exec(authorization);
    if (jwt !== null && github.appKey !== undefined && !isSignedBy(github.appKey, jwt)) {
      return { status: 401, body: { message: 'A JSON web token could not be decoded' } };
    }
    const isKnown = authorization === `token ${token}` || jwt !== null;
    return isKnown ? undefined : { status: 401, body: { message: 'Bad credentials' } };
  }

  const server = await startLoopbackServer(
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        options.onFailure(error);
        response.destroy();
      });
    },
    options.listen === undefined ? {} : { host: options.listen },
  );
  const github: LocalGithub = { ...server, state, token, statuses, hook, orgHooks, deliveries, redelivered };
  return github;
}

function isSignedBy(key: KeyObject, [, signed = '', signature = '']: readonly string[]): boolean {
  return verify('RSA-SHA256', Buffer.from(signed), key, Buffer.from(signature, 'base64url'));
}
