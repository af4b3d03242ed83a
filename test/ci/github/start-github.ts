import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';
import { type GithubJob, type GithubRunner, GithubState } from './github-state.ts';
import { createOpenApiCheck, type DescribedGithub } from './openapi-check.ts';

/** A GitHub that behaves: its answers are held to GitHub's own description. */
export interface FakeGithub extends LoopbackServer {
  state: GithubState;
  /** A personal access token that is accepted. */
  token: string;
  /** Everything that was not as GitHub's description has it. */
  problems: string[];
  /** Answers the next requests with this status, until it is undefined again. */
  failWith?: { status: number; headers?: Record<string, string> } | undefined;
  /** What happens after a request has had its effect, before its answer is sent. */
  beforeAnswer?: ((method: string, path: string) => Promise<void>) | undefined;
  /** The attempts to deliver webhooks, as the App's own list shows them. */
  deliveries: { id: number; guid: string; statusCode: number }[];
  /** The deliveries that were asked for again. */
  redelivered: number[];
  /** Commit statuses that were set, by `owner/name/sha`. */
  statuses: Map<string, unknown[]>;
}

interface Asked {
  parameters: string[];
  query: URLSearchParams;
  body: unknown;
}

interface Answer {
  status: number;
  body?: unknown;
}

type Handler = (asked: Asked) => Answer;

const JitRequest = z.object({
  name: z.string(),
  runner_group_id: z.int(),
  labels: z.array(z.string()).min(1).max(100),
});
const Examples = z.looseObject({
  components: z.looseObject({ examples: z.record(z.string(), z.looseObject({ value: z.unknown() })) }),
});
const examples = Examples.parse(
  JSON.parse(
    readFileSync(createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json'), 'utf8'),
  ),
).components.examples;

function example(name: string): Record<string, unknown> {
  return z.looseObject({}).parse(examples[name]?.value);
}

/** Starts a GitHub on the loopback, with these organisations, that is held to the description of this one. */
export async function startGithub(
  organizations: readonly string[],
  described: DescribedGithub = 'api.github.com',
): Promise<FakeGithub> {
  const state = new GithubState();
  const check = createOpenApiCheck(described);
  const token = randomUUID();
  const statuses = new Map<string, unknown[]>();
  const deliveries: FakeGithub['deliveries'] = [];
  const redelivered: number[] = [];
  const routes = [
    ...routesOf(state, statuses, new Set(organizations), () => github.url),
    ...appRoutesOf(token, new Set(organizations), deliveries, redelivered),
  ];
  const problems: string[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: asked, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    // Where an Enterprise Server has its API.
    const pathname = asked.replace(/^\/api\/v3(?=\/)/, '');
    const method = request.method ?? 'GET';
    const sent = await text(request);
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    const runnersOwn = pathname.startsWith('/_runner/');
    const failure = runnersOwn ? undefined : github.failWith;
    const { authorization = '' } = request.headers;
    // An App's own JWT is only looked at for being one: its signature is octokit's business.
    const isKnown = authorization === `token ${token}` || /^bearer [\w-]+\.[\w-]+\.[\w-]+$/i.test(authorization);
    const { status, body: answered } =
      failure !== undefined
        ? { status: failure.status, body: { message: 'as the test wants it' } }
        : runnersOwn || isKnown
          ? route(routes, method, pathname, searchParams, body)
          : { status: 401, body: { message: 'Bad credentials' } };
    const exchange = { method, path: pathname, requestBody: body, status, responseBody: answered };
    if (!runnersOwn) problems.push(...check(exchange));
    await github.beforeAnswer?.(method, pathname);
    response.writeHead(status, { 'content-type': 'application/json', ...failure?.headers });
    response.end(answered === undefined ? undefined : JSON.stringify(answered));
  }

  const server = await startLoopbackServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      problems.push(String(error));
      response.destroy();
    });
  });
  const github: FakeGithub = {
    ...server,
    state,
    token,
    problems,
    statuses,
    deliveries,
    redelivered,
    failWith: undefined,
  };
  return github;
}

function route(
  routes: readonly [string, RegExp, Handler][],
  method: string,
  path: string,
  query: URLSearchParams,
  body: unknown,
): Answer {
  for (const [verb, pattern, handle] of routes) {
    const matched = verb === method ? pattern.exec(path) : null;
    if (matched !== null) return handle({ parameters: matched.slice(1).map(decodeURIComponent), query, body });
  }
  return { status: 404, body: { message: 'Not Found' } };
}

const docsUrl = 'https://docs.github.com/rest';
const scopePattern = String.raw`/(?:orgs/([^/]+)|repos/([^/]+)/([^/]+))/actions/runners`;

function scopeOf([organization, owner, name]: string[]): string {
  return organization === undefined || organization === 'undefined' ? `${owner}/${name}` : organization;
}

function routesOf(
  state: GithubState,
  statuses: Map<string, unknown[]>,
  organizations: ReadonlySet<string>,
  urlOf: () => string,
): readonly [string, RegExp, Handler][] {
  return [
    ['POST', new RegExp(`^${scopePattern}/generate-jitconfig$`), generateJitConfig],
    ['GET', new RegExp(`^${scopePattern}$`), listRunners],
    ['DELETE', new RegExp(String.raw`^${scopePattern}/(\d+)$`), deleteRunner],
    ['GET', /^\/orgs\/([^/]+)\/actions\/runner-groups$/, listGroups],
    ['GET', /^\/repos\/([^/]+)\/([^/]+)\/actions\/runs$/, listRuns],
    ['GET', /^\/repos\/([^/]+)\/([^/]+)\/actions\/runs\/(\d+)\/jobs$/, listJobs],
    ['POST', /^\/repos\/([^/]+)\/([^/]+)\/statuses\/([0-9a-f]+)$/, setStatus],
    ['POST', /^\/_runner\/(\d+)\/([^/]+)\/job$/, askForJob],
    ['POST', /^\/_runner\/(\d+)\/([^/]+)\/complete$/, completeJob],
  ];

  function generateJitConfig({ parameters, body }: Asked): Answer {
    const asked = JitRequest.safeParse(body);
    if (!asked.success) return { status: 422, body: { message: 'Validation Failed', documentation_url: docsUrl } };
    const { name, labels, runner_group_id: groupId } = asked.data;
    const made = state.register({ name, labels, groupId, scope: scopeOf(parameters) });
    if (made === undefined) return { status: 409, body: { message: 'Already exists', documentation_url: docsUrl } };
    const config = { url: `${urlOf()}/_runner/${made.id}/${made.secret}` };
    const encoded = Buffer.from(JSON.stringify(config)).toString('base64');
    return { status: 201, body: { runner: runnerBody(made), encoded_jit_config: encoded } };
  }

  function listRunners({ parameters, query }: Asked): Answer {
    const scope = scopeOf(parameters);
    if (!organizations.has(scope.split('/', 1)[0] ?? '')) return { status: 404, body: { message: 'Not Found' } };
    const name = query.get('name');
    const found = [...state.runners.values()].filter(
      (runner) => runner.scope === scope && (name === null || runner.name === name),
    );
    return { status: 200, body: { total_count: found.length, runners: pageOf(found, query).map(runnerBody) } };
  }

  function deleteRunner({ parameters }: Asked): Answer {
    const runner = state.runners.get(Number(parameters[3]));
    if (runner?.scope !== scopeOf(parameters)) return { status: 404, body: { message: 'Not Found' } };
    if (runner.busy)
      return {
        status: 422,
        body: { message: `Runner "${runner.name}" is currently running a job`, documentation_url: docsUrl },
      };
    state.runners.delete(runner.id);
    return { status: 204 };
  }

  function listGroups(): Answer {
    const base = z.looseObject({ runner_groups: z.array(z.looseObject({})) }).parse(example('runner-groups-org'));
    const groups = ['Default', 'builds'].map((name, index) => ({ ...base.runner_groups[0], id: index + 1, name }));
    return { status: 200, body: { total_count: groups.length, runner_groups: groups } };
  }

  function jobsIn([owner, repository]: string[]): GithubJob[] {
    return state.jobs.filter((job) => job.owner === owner && job.repository === repository);
  }

  function listRuns({ parameters, query }: Asked): Answer {
    const wanted = query.get('status');
    const ids = [...new Set(jobsIn(parameters).map(({ runId }) => runId))].filter(
      (id) => wanted === null || statusOfRun(jobsIn(parameters).filter(({ runId }) => runId === id)) === wanted,
    );
    const base = z.looseObject({ repository: z.looseObject({}) }).parse(example('workflow-run'));
    const [owner = '', name = ''] = parameters;
    const repository = { ...base.repository, id: state.repositoryIdOf(owner, name), name };
    const runs = pageOf(ids, query).map((id) => ({ ...base, id, repository, status: wanted ?? 'queued' }));
    return { status: 200, body: { total_count: ids.length, workflow_runs: runs } };
  }

  function listJobs({ parameters, query }: Asked): Answer {
    const found = jobsIn(parameters).filter(({ runId }) => runId === Number(parameters[2]));
    return { status: 200, body: { total_count: found.length, jobs: pageOf(found, query).map(jobBody) } };
  }

  function setStatus({ parameters: [owner, repository, sha], body }: Asked): Answer {
    const key = `${owner}/${repository}/${sha}`;
    statuses.set(key, [...(statuses.get(key) ?? []), body]);
    return { status: 201, body: { ...example('status'), ...z.looseObject({}).parse(body) } };
  }

  function runnerBySecret([id, secret]: string[]): GithubRunner | undefined {
    const runner = state.runners.get(Number(id));
    return runner?.secret === secret ? runner : undefined;
  }

  function askForJob({ parameters }: Asked): Answer {
    const runner = runnerBySecret(parameters);
    if (runner === undefined) return { status: 401, body: { message: 'the runner registration has been deleted' } };
    return { status: 200, body: { steps: state.assign(runner)?.steps ?? null } };
  }

  function completeJob({ parameters, body }: Asked): Answer {
    const runner = runnerBySecret(parameters);
    if (runner === undefined) return { status: 401, body: { message: 'the runner registration has been deleted' } };
    state.complete(runner, z.object({ succeeded: z.boolean() }).parse(body).succeeded);
    return { status: 200, body: {} };
  }
}

/** What only an App may ask: its installations, their tokens, and its webhook's deliveries. */
function appRoutesOf(
  token: string,
  organizations: ReadonlySet<string>,
  deliveries: FakeGithub['deliveries'],
  redelivered: number[],
): readonly [string, RegExp, Handler][] {
  const installationId = 7;
  return [
    [
      'GET',
      /^\/orgs\/([^/]+)\/installation$/,
      ({ parameters: [organization = ''] }) =>
        organizations.has(organization)
          ? { status: 200, body: { ...example('installation'), id: installationId } }
          : { status: 404, body: { message: 'Not Found' } },
    ],
    [
      'POST',
      /^\/app\/installations\/7\/access_tokens$/,
      () => ({
        status: 201,
        body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions: {} },
      }),
    ],
    ['GET', /^\/app\/hook\/deliveries$/, () => ({ status: 200, body: deliveries.map(deliveryBody) })],
    [
      'POST',
      /^\/app\/hook\/deliveries\/(\d+)\/attempts$/,
      ({ parameters }) => {
        redelivered.push(Number(parameters[0]));
        return { status: 202, body: {} };
      },
    ],
  ];
}

function deliveryBody({ id, guid, statusCode }: FakeGithub['deliveries'][number]): unknown {
  return {
    id,
    guid,
    delivered_at: new Date(1_767_225_600_000 + id * 1000).toISOString(),
    redelivery: false,
    duration: 0.1,
    status: statusCode < 400 ? 'OK' : 'Error',
    status_code: statusCode,
    event: 'workflow_job',
    action: 'queued',
    installation_id: 7,
    repository_id: 1,
  };
}

/** A run with a job that runs is in progress, even if another one is queued. */
function statusOfRun(jobs: readonly GithubJob[]): string {
  if (jobs.some(({ status }) => status === 'in_progress')) return 'in_progress';
  if (jobs.every(({ status }) => status === 'queued')) return 'queued';
  return jobs.every(({ status }) => status === 'completed') ? 'completed' : 'in_progress';
}

function pageOf<Item>(items: readonly Item[], query: URLSearchParams): Item[] {
  const size = Math.min(100, Number(query.get('per_page') ?? 30));
  const from = (Number(query.get('page') ?? 1) - 1) * size;
  return items.slice(from, from + size);
}

function runnerBody({ id, name, labels, groupId, busy }: GithubRunner): unknown {
  return {
    id,
    name,
    os: 'unknown',
    status: 'offline',
    busy,
    runner_group_id: groupId,
    labels: labels.map((label, index) => ({ id: index + 1, name: label, type: 'custom' })),
  };
}

/** The tests' commits: a run's SHA is made of its id. */
export function shaOf(runId: number): string {
  return runId.toString(16).padStart(40, '0');
}

function jobBody(job: GithubJob): unknown {
  const { id, runId, attempt, name, labels, status, conclusion, runnerId, runnerName, queuedAtEpochMs } = job;
  return {
    ...example('job'),
    created_at: new Date(queuedAtEpochMs).toISOString(),
    head_sha: shaOf(runId),
    id,
    run_id: runId,
    run_attempt: attempt,
    name,
    labels,
    status,
    conclusion: conclusion ?? null,
    runner_id: runnerId ?? null,
    runner_name: runnerName ?? null,
  };
}
