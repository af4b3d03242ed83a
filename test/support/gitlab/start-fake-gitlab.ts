import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { type Answer, type Asked, byRoutes, json, serveJson } from '../serve-routes.ts';
import { apiRoutes } from './api-routes.ts';
import { checkExchange, type GitlabExchange } from './description/check-exchange.ts';
import { jobHook } from './entities.ts';
import { type FakeJob, GitlabState, isInGroup } from './gitlab-state.ts';
import type { FakeHooks } from './hook-routes.ts';
import { refuse } from './route.ts';
import { type HandOut, runnerRoutes } from './runner-routes.ts';

/** Where the fake sends its webhooks. */
export interface HookTarget {
  url: string;
  /** The secret token, or the signing token if it begins with `whsec_`. */
  secret: string;
}

/** A GitLab for tests: its REST API for users and for runners, and its webhooks of jobs. */
export interface FakeGitlab {
  /** Without a slash at its end. */
  url: string;
  /** An access token, by its scopes. */
  token: string;
  scopes: Set<string>;
  state: GitlabState;
  handOut: HandOut;
  /** The requests that it has answered. */
  exchanges: GitlabExchange[];
  /** The statuses with which its webhooks were answered. */
  delivered: number[];
  /** While set, webhooks go there, too. */
  hook: HookTarget | undefined;
  /** The webhooks that its API made. */
  hooks: FakeHooks;
  /** Answers with this, if there is one. */
  failWith: Answer | undefined;
  /** The projects whose jobs it does not show, because their CI/CD is off. */
  hiddenProjects: Set<string>;
  /** Whether it is of a version whose lists do not say which runners are busy. */
  isOld: boolean;
  /** @throws Error that names each request and answer that GitLab's description does not have */
  stop(): Promise<void>;
}

/** Settings of the fake. */
export interface FakeGitlabOptions {
  /** @default the system's */
  nowEpochMs?: () => number;
}

/** Starts a fake GitLab with the group `acme`. */
export async function startFakeGitlab({ nowEpochMs = Date.now }: FakeGitlabOptions = {}): Promise<FakeGitlab> {
  const state = new GitlabState(nowEpochMs);
  state.addGroup('acme');
  const handOut: HandOut = { between: async () => {} };
  const hooks: FakeHooks = { all: [], canSign: true, isPremium: true, testRefusal: undefined };
  const view = {
    state,
    hooks,
    url: () => fake.url,
    isOld: () => fake.isOld,
    isHidden: (project: string) => fake.hiddenProjects.has(project),
  };
  const respond = byRoutes(
    { ...runnerRoutes(state, handOut), ...apiRoutes(view) },
    {
      notFound: () => json(404, { error: '404 Not Found' }),
      invalid: (error) => json(400, { error }),
    },
  );
  const isOfRunner = ({ path }: Asked) => path.startsWith('/jobs/');

  async function answer(asked: Asked): Promise<Answer> {
    const refusal = fake.failWith ?? (isOfRunner(asked) ? undefined : refusalOf(fake, asked));
    return refusal ?? respond(asked);
  }

  /** What of its requests and answers GitLab's description does not have. */
  const problems = new Set<string>();
  const { url, stop } = await serveJson(async (given) => {
    const asked = { ...given, path: given.path.replace(/^\/api\/v4/, '') };
    const told = await answer(asked);
    const { method, path, query, body } = asked;
    const exchange = {
      method,
      path,
      query: query.size === 0 ? '' : `?${query.toString()}`,
      status: told.status,
      body,
      answer: told.body,
    };
    fake.exchanges.push(exchange);
    const isChecked = fake.failWith === undefined && !isOfRunner(asked);
    for (const problem of isChecked ? checkExchange(exchange) : []) problems.add(problem);
    return told;
  });
  const fake: FakeGitlab = {
    url,
    token: 'glpat-of-davit',
    scopes: new Set(['create_runner', 'manage_runner', 'read_api']),
    state,
    handOut,
    exchanges: [],
    delivered: [],
    hook: undefined,
    hooks,
    failWith: undefined,
    hiddenProjects: new Set(),
    isOld: false,
    stop: async () => {
      await stop();
      if (problems.size > 0) throw new Error(`violates GitLab's description:\n${[...problems].join('\n')}`);
    },
  };
  state.onChange = (job) => void deliver(fake, job);
  return fake;
}

/**
 * A token's scopes are checked before its rights: `manage_runner` is for the paths of single runners, `create_runner` for
 * one request, `read_api` for all that read.
 *
 * @see lib/api/api_guard.rb, and `allow_access_with_scope` of lib/api/ci/runners.rb and lib/api/user_runners.rb
 */
function refusalOf({ token, scopes }: FakeGitlab, { method, path, headers }: Asked): Answer | undefined {
  if (headers['private-token'] !== token) return refuse(401, '401 Unauthorized');
  const allowing = [
    'api',
    ...(method === 'GET' ? ['read_api'] : []),
    ...(/^\/runners\/\d+/.test(path) ? ['manage_runner'] : []),
    ...(method === 'POST' && path === '/user/runners' ? ['create_runner'] : []),
  ];
  if (allowing.some((scope) => scopes.has(scope))) return undefined;
  return json(403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: allowing.join(' '),
  });
}

/** Sends a webhook, once: GitLab does not repeat one. @see app/services/web_hook_service.rb, `build_headers` */
async function deliver(fake: FakeGitlab, job: FakeJob): Promise<void> {
  const { hook, hooks, state, url } = fake;
  const body = JSON.stringify(jobHook(state, url, job));
  if (hook !== undefined) await post(fake, hook.url, hookHeaders(hook.secret, body), body);
  for (const made of hooks.all) {
    const [, path = ''] = /^\w+\/(.+)$/.exec(made.place) ?? [];
    const isAbout = made.place.startsWith('groups/') ? isInGroup(job.project, path) : job.project === path;
    if (!isAbout || !made.jobEvents || made.alertStatus !== 'executable') continue;
    const { token, signingToken } = made;
    const headers = {
      ...hookHeaders(signingToken ?? '', body),
      ...(token === undefined ? {} : { 'x-gitlab-token': token }),
    };
    await post(fake, made.url, headers, body);
  }
}

async function post(fake: FakeGitlab, url: string, headers: Record<string, string>, body: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
  fake.delivered.push(response?.status ?? 0);
}

/** Makes the headers of a webhook. */
export function hookHeaders(secret: string, body: string, atEpochMs = Date.now()): Record<string, string> {
  const id = randomUUID();
  const common = { 'content-type': 'application/json', 'idempotency-key': id, 'x-gitlab-event': 'Job Hook' };
  if (!secret.startsWith('whsec_')) return { ...common, ...(secret === '' ? {} : { 'x-gitlab-token': secret }) };
  const at = new Date(atEpochMs);
  return {
    ...common,
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(atEpochMs / 1000)}`,
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}
