import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../listen.ts';
import { routeFinder } from '../serve-routes.ts';
import { authenticate, type JenkinsUser, type Permission, permissionIds } from './access.ts';
import { agentEndpoint } from './agent-endpoint.ts';
import { type Answer, httpError, Refusal, starting } from './answers.ts';
import { computerRoutes } from './computer-routes.ts';
import { hasCrumb, issued, noCrumb } from './crumbs.ts';
import { type Fault, takeFault } from './fault.ts';
import { JenkinsState } from './jenkins-state.ts';
import { projectRoutes } from './project-routes.ts';
import { jobRoutes, queueRoutes } from './queue-routes.ts';
import type { JobRequest, QueueItem } from './records.ts';
import type { Asked, Served } from './route.ts';
import { serverRoutes } from './server-routes.ts';

/** A request that the server has answered. */
export interface Exchange {
  method: string;
  /** With the query. */
  path: string;
  status: number;
}

/** The settings of a fake Jenkins. */
export interface FakeJenkinsOptions {
  /** What its user may do. @default everything that the fake knows */
  permissions?: readonly Permission[];
  /** Whether the user has a password in place of an API token, so that each POST needs a crumb. @default false */
  needsCrumb?: boolean;
}

/** A Jenkins for tests, written from Jenkins' source. It runs no Java. */
export interface FakeJenkins extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string;
  /** The user as whom davit calls. A test may change its permissions. */
  user: JenkinsUser;
  /** Its nodes, its queue and its builds, to read what happened. */
  state: JenkinsState;
  /** The requests that it has answered, in order, without those of agents. */
  exchanges: Exchange[];
  /** The faults in effect; a test adds and removes them. */
  faults: Fault[];
  /** Queues a freestyle job. @throws Error for an invalid label expression */
  enqueueFreestyle(job: JobRequest): QueueItem;
  /** Starts a pipeline, whose only `node` block is queued. @throws Error for an invalid label expression */
  enqueuePipeline(job: JobRequest): QueueItem;
  /** The secret of a node's name, by which an agent connects. It exists before the node does. */
  secretOf(name: string): string;
  /** Ends connections, answers 503 until `meanwhile` is over, and then is up again with its nodes and its queue. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a fake Jenkins. */
export async function startFakeJenkins(options: FakeJenkinsOptions = {}): Promise<FakeJenkins> {
  const state = new JenkinsState();
  const permissions = options.permissions ?? (Object.keys(permissionIds) as Permission[]);
  const user = {
    name: 'davit',
    apiToken: randomUUID(),
    permissions: new Set(permissions),
  };
  // jenkins.slaves.JnlpAgentReceiver#SLAVE_SECRET: an HMAC of the name under a key of the instance.
  const key = randomBytes(32);
  const secretOf = (name: string) => createHmac('sha256', key).update(name).digest('hex');
  const exchanges: Exchange[] = [];
  const faults: Fault[] = [];
  let isUp = true;
  const served: Served = { state, secretOf, root: () => `${url}/` };
  const find = routeFinder({
    ...serverRoutes(served),
    ...queueRoutes(served),
    ...computerRoutes(served),
    ...projectRoutes(served),
    ...jobRoutes(served),
  });

  async function answer(request: IncomingMessage): Promise<Answer | undefined> {
    const asked = await read(request);
    const { method, path } = asked;
    const fault = takeFault(faults, `${method} ${path}`);
    await fault?.wait?.();
    const isCut = fault?.status !== undefined || fault?.drop === true;
    const answered = isCut ? undefined : handle(asked);
    if (fault?.drop) return undefined;
    return fault?.status === undefined ? answered : httpError(fault.status, 'a fault of the test').answer;
  }

  function handle({ method, path, headers, body }: Request): Answer {
    if (!isUp) return starting();
    const { pathname, searchParams } = new URL(path, url);
    try {
      const caller = authenticate(user, headers);
      caller.check('Overall/Read');
      if (options.needsCrumb === true) {
        if (pathname === '/crumbIssuer/api/json') return issued;
        if (method === 'POST' && !hasCrumb(headers)) throw noCrumb();
      }
      const parameters = withForm(searchParams, headers, body);
      const found = find(pathname);
      if (found === undefined) throw httpError(404, 'Not Found');
      return found.route({ method, headers, parameters, body, path: found.parts, caller });
    } catch (error) {
      if (error instanceof Refusal) return error.answer;
      throw error;
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answered = await answer(request);
    const { method = 'GET', url: path = '/' } = request;
    exchanges.push({ method, path, status: answered?.status ?? 0 });
    if (answered === undefined) request.socket.destroy();
    else response.writeHead(answered.status, answered.headers).end(answered.body);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const agents = agentEndpoint(state, secretOf);
  server.on('upgrade', (request, socket, head) => {
    if (isUp) agents.upgrade(request, socket, head);
    else socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n');
  });
  const { url, stop: close } = await listen(server);

  async function stop(): Promise<void> {
    // An agent's connection is not closed with the others: it was upgraded.
    for (const { channel } of state.nodes.values()) channel?.close();
    await close();
  }
  return {
    url,
    user,
    state,
    exchanges,
    faults,
    secretOf,
    enqueueFreestyle: (job) => state.enqueueFreestyle(job),
    enqueuePipeline: (job) => state.enqueuePipeline(job),
    restart: async (meanwhile = async () => {}) => {
      isUp = false;
      state.restart();
      await meanwhile();
      isUp = true;
      state.maintain();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

type Request = Pick<Asked, 'method' | 'headers' | 'body'> & { path: string };

async function read(request: IncomingMessage): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
  return { method: request.method ?? 'GET', path: request.url ?? '/', headers, body: await text(request) };
}

/** A servlet's parameters: of the query, and of a body that is a form. */
function withForm(query: URLSearchParams, headers: Headers, body: string): URLSearchParams {
  const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') ?? false;
  return isForm ? new URLSearchParams([...query, ...new URLSearchParams(body)]) : query;
}
