import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { jitConfigOf } from '../../../local/github/jit-config.ts';
import { type LocalGithub, startGithub } from '../../../local/github/start-github.ts';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';
import { ScaleSetQueue } from './scale-set-queue.ts';

interface FakeSet {
  id: number;
  name: string;
  runnerGroupId: number;
  labels: { name: string; type: string }[];
}

const SetBody = z.looseObject({
  name: z.string(),
  runnerGroupId: z.int(),
  labels: z.array(z.object({ name: z.string(), type: z.literal('System') })).min(1),
  RunnerSetting: z.object({ disableUpdate: z.literal(true) }),
});

/** A GitHub with the service for runner scale sets, for one organization and one set at a time. */
export interface FakeScaleSets extends LoopbackServer {
  github: LocalGithub;
  queue: ScaleSetQueue;
  sets: FakeSet[];
  /** The session that may read the queue. */
  session: { id: string; token: string } | undefined;
  /** `POST /_apis/runtime/runnerscalesets 200`, without the requests to GitHub's REST API. */
  requests: string[];
  /** How often the next requests to introduce a client are refused, as by a server that does not know the token yet. */
  refusedIntroductions: number;
  /** Runs before a request to the service takes effect. */
  before: ((method: string, path: string) => Promise<void>) | undefined;
  /** How long a request for a message waits for one, in milliseconds. GitHub: some 50 s. */
  holdMs: number;
}

type Answer = { status: number; body?: unknown };

/**
 * Starts it. Each request and answer is one that GitHub's client makes or reads: `actions/scaleset` at 6ce0259, in the
 * functions that the comments name. The numbers of refusals are not in it: it only reads their `typeName`.
 */
export async function startFakeScaleSets(organization: string): Promise<FakeScaleSets> {
  const queue = new ScaleSetQueue();
  const github = await startGithub({
    organizations: [organization],
    onJob: (job, action) => {
      const labels = new Set(fake.sets[0]?.labels.map(({ name }) => name.toLowerCase()));
      if (!job.labels.every((label) => labels.has(label.toLowerCase()))) return;
      queue.see(job, action);
    },
    onFailure: (error) => {
      throw error;
    },
  });
  let admin: string | undefined;

  async function answer(method: string, url: URL, headers: IncomingMessage['headers'], sent: string): Promise<Answer> {
    const path = url.pathname.replace(/^\/api\/v3(?=\/)/, '');
    const { authorization = '' } = headers;
    const body: unknown = sent === '' ? undefined : JSON.parse(sent);
    // getRunnerRegistrationToken
    if (method === 'POST' && path === `/orgs/${organization}/actions/runners/registration-token`) {
      if (authorization !== `token ${github.token}`) return { status: 401, body: { message: 'Bad credentials' } };
      return { status: 201, body: { token: 'REGISTRATION', expires_at: '2030-01-01T00:00:00Z' } };
    }
    // getActionsServiceAdminConnection
    if (method === 'POST' && path === '/actions/runner-registration') return introduce(authorization, body);
    // newActionsServiceRequest: one version for all, and a base with a path of its own
    if (url.pathname.startsWith('/tenant/_apis/')) {
      if (url.searchParams.get('api-version') !== '6.0-preview') return { status: 400 };
      return callService(method, path.replace('/tenant', ''), url, authorization, body);
    }
    if (url.pathname.startsWith('/queue')) return callQueue(method, url, headers);
    return { status: 404 };
  }

  function introduce(authorization: string, body: unknown): Answer {
    const { url, runner_event: event } = z.object({ url: z.string(), runner_event: z.string() }).parse(body);
    if (fake.refusedIntroductions > 0) {
      fake.refusedIntroductions -= 1;
      return { status: 401 };
    }
    const isRight = authorization === 'RemoteAuth REGISTRATION' && url === `${fake.url}/${organization}`;
    if (!isRight || event !== 'register') return { status: 400, body: { message: `not a client: ${url}` } };
    const claims = Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + 3600, jti: randomUUID() }));
    admin = `e30.${claims.toString('base64url')}.c2ln`;
    return { status: 200, body: { url: `${fake.url}/tenant/`, token: admin } };
  }

  function callService(method: string, path: string, url: URL, authorization: string, body: unknown): Answer {
    const acquire = /runnerscalesets\/(\d+)\/acquirejobs$/.exec(path);
    // acquireJobs: the session's token, and not davit's
    if (method === 'POST' && acquire !== null) {
      if (authorization !== `Bearer ${fake.session?.token}`) return { status: 401 };
      const value = queue.acquire(z.array(z.int()).parse(body));
      return { status: 200, body: { count: value.length, value } };
    }
    if (admin === undefined || authorization !== `Bearer ${admin}`) return { status: 401 };
    if (path === '/_apis/runtime/runnergroups/') {
      const name = url.searchParams.get('groupName');
      const found = github.state.groups.flatMap((group, index) =>
        group.name === name ? [{ id: index + 1, name }] : [],
      );
      return { status: 200, body: { count: found.length, value: found } };
    }
    if (path.startsWith('/_apis/distributedtask/pools/0/agents')) return callAgents(method, path, url);
    if (path === '/_apis/runtime/runnerscalesets') return method === 'GET' ? findSets(url) : makeSet(body);
    const [, id, rest = '', sessionId] =
      /^\/_apis\/runtime\/runnerscalesets\/(\d+)(\/sessions|\/generatejitconfig)?(?:\/(.+))?$/.exec(path) ?? [];
    const set = fake.sets.find((each) => each.id === Number(id));
    if (set === undefined) return exception(404, 'RunnerScaleSetNotFoundException', `no set ${id}`);
    if (rest === '/sessions') return callSessions(method, set, sessionId);
    if (rest === '/generatejitconfig') return makeRunner(set, body);
    // DeleteRunnerScaleSet: a session of it ends, as macstadium/orka-github-actions-integration#65 relies on
    if (method === 'DELETE') {
      fake.sets.splice(fake.sets.indexOf(set), 1);
      fake.session = undefined;
      return { status: 204 };
    }
    // GetRunnerScaleSetByID
    if (method === 'GET') return { status: 200, body: { ...set, statistics: statistics() } };
    // UpdateRunnerScaleSet
    if (method !== 'PATCH') return { status: 405 };
    return { status: 200, body: Object.assign(set, SetBody.parse(body)) };
  }

  /** GetRunnerScaleSet: by group and name */
  function findSets(url: URL): Answer {
    const { runnerGroupId: group, name } = Object.fromEntries(url.searchParams);
    const value = fake.sets.filter((set) => set.name === name && `${set.runnerGroupId}` === group);
    return { status: 200, body: { count: value.length, value } };
  }

  /** CreateRunnerScaleSet: 200, and not 201 */
  function makeSet(body: unknown): Answer {
    const set = { ...SetBody.parse(body), id: github.state.nextId() };
    fake.sets.push(set);
    return { status: 200, body: set };
  }

  /** createMessageSession, refreshMessageSession, deleteMessageSession */
  function callSessions(method: string, set: FakeSet, sessionId: string | undefined): Answer {
    if (method === 'POST') {
      // The words and the number as several programs have met them: see docs/compatibility.md.
      if (fake.session !== undefined) {
        const words = `The actions runner scaleset ${set.name} already has an active session.`;
        return exception(409, 'RunnerScaleSetSessionConflictException', words);
      }
      fake.session = { id: randomUUID(), token: randomUUID() };
    } else if (fake.session?.id !== sessionId) {
      return exception(404, 'RunnerScaleSetSessionNotFoundException', `no session ${sessionId}`);
    } else if (method === 'PATCH') {
      fake.session = { id: sessionId ?? '', token: randomUUID() };
    }
    const { session } = fake;
    if (method === 'DELETE') fake.session = undefined;
    if (method === 'DELETE' || session === undefined) return { status: 204 };
    const { id, token } = session;
    const body = { sessionId: id, messageQueueUrl: `${fake.url}/queue?of=${set.id}`, messageQueueAccessToken: token };
    return { status: 200, body };
  }

  /** GenerateJitRunnerConfig: the runner has the labels of its set */
  function makeRunner(set: FakeSet, body: unknown): Answer {
    const { name } = z.object({ name: z.string(), workFolder: z.string() }).parse(body);
    const labels = set.labels.map((label) => label.name);
    const made = github.state.register({ name, labels, groupId: set.runnerGroupId, scope: organization });
    if (made === undefined) return exception(409, 'AgentExistsException', `${name} exists`);
    const runner = { id: made.id, name, runnerScaleSetId: set.id };
    return { status: 200, body: { runner, encodedJITConfig: jitConfigOf(made, github.url) } };
  }

  /** GetRunner, GetRunnerByName, RemoveRunner */
  function callAgents(method: string, path: string, url: URL): Answer {
    const id = Number(/\/agents\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (Number.isNaN(id)) {
      const name = url.searchParams.get('agentName');
      const value = [...github.state.runners.values()].filter((runner) => runner.name === name);
      return { status: 200, body: { count: value.length, value: value.map((each) => ({ id: each.id, name })) } };
    }
    const runner = github.state.runners.get(id);
    if (runner === undefined) return exception(404, 'AgentNotFoundException', `no agent ${id}`);
    if (method === 'GET') return { status: 200, body: { id, name: runner.name, runnerScaleSetId: fake.sets[0]?.id } };
    if (runner.busy) return exception(400, 'JobStillRunningException', `${runner.name} runs a job`);
    github.state.remove(runner);
    return { status: 204 };
  }

  /** getMessage, deleteMessage */
  async function callQueue(method: string, url: URL, headers: IncomingMessage['headers']): Promise<Answer> {
    if (headers.authorization !== `Bearer ${fake.session?.token}`) return { status: 401 };
    if (method === 'DELETE') {
      const index = queue.messages.findIndex(({ messageId }) => url.pathname === `/queue/${messageId}`);
      if (index < 0) return { status: 404 };
      queue.messages.splice(index, 1);
      return { status: 204 };
    }
    if (headers.accept !== 'application/json; api-version=6.0-preview') return { status: 406 };
    queue.capacity = Number(headers['x-scalesetmaxcapacity']);
    queue.assign();
    const after = Number(url.searchParams.get('lastMessageId') ?? 0);
    const next = () => queue.messages.find(({ messageId }) => messageId > after);
    for (const endMs = performance.now() + fake.holdMs; next() === undefined && performance.now() < endMs; )
      await sleep(10);
    const message = next();
    if (message === undefined) return { status: 202 };
    return { status: 200, body: { ...message, statistics: statistics() } };
  }

  /** RunnerScaleSetStatistic */
  function statistics() {
    return { totalAssignedJobs: queue.assigned, totalRegisteredRunners: github.state.runners.size };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', fake.url);
    const method = request.method ?? 'GET';
    const sent = await text(request);
    const isService =
      /^\/(tenant|queue)|registration/.test(url.pathname) || url.pathname.endsWith('/registration-token');
    if (!isService) return forward(method, request, sent, response);
    await fake.before?.(method, url.pathname);
    const { status, body } = await answer(method, url, request.headers, sent);
    fake.requests.push(`${method} ${url.pathname.replace(/^\/(api\/v3|tenant)/, '')} ${status}`);
    // The service's answers begin with a byte order mark: common_client.go, trimByteOrderMark.
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : `\uFEFF${JSON.stringify(body)}`);
  }

  /** GitHub's REST API, and what its runners ask. */
  async function forward(method: string, { url = '/', headers }: IncomingMessage, sent: string, to: ServerResponse) {
    const { authorization = '', 'if-none-match': etag } = headers;
    const answered = await fetch(`${github.url}${url}`, {
      method,
      headers: { authorization, ...(etag === undefined ? {} : { 'if-none-match': etag }) },
      ...(sent === '' ? {} : { body: sent }),
    });
    to.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text());
  }

  const server = await startLoopbackServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const fake: FakeScaleSets = {
    ...server,
    stop: async () => {
      await server.stop();
      await github.stop();
    },
    github,
    queue,
    sets: [],
    session: undefined,
    requests: [],
    refusedIntroductions: 0,
    before: undefined,
    holdMs: 300,
  };
  return fake;
}

/** `actionsExceptionError` in errors.go. */
function exception(status: number, name: string, message: string): Answer {
  const typeName = `GitHub.Actions.Runtime.WebApi.${name}, GitHub.Actions.Runtime.WebApi`;
  return { status, body: { typeName, message } };
}
