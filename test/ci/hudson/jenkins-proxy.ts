import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request as sendRequest } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { listen as listenAt } from '../../../local/loopback-server.ts';
import { type Json, pruneJson } from '../../support/jenkins/exported.ts';
import { listen } from '../../support/listen.ts';

/** The Unix sockets that lead to a Hudson. */
export interface HudsonSockets {
  http: string;
  /** Its port for inbound agents. */
  agents: string;
}

/** A proxy that gives a Hudson the calls of Jenkins that davit makes. */
export interface JenkinsProxy {
  /** Without a trailing slash. */
  url: string;
  user: { name: string; apiToken: string };
  /** Says that the server has started anew, as Jenkins does in each answer. */
  beginSession(): void;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

/** What the plugin JenkinsCalls tells. */
const Details = z.object({
  labels: z.record(z.string(), z.string()),
  nodes: z.record(z.string(), z.object({ labels: z.array(z.string()), reason: z.string() })),
});
type Details = z.infer<typeof Details>;

const AnyJson: z.ZodType<Json> = z.json();
const ListedItem = z.object({ id: z.int(), task: z.object({}).catchall(AnyJson) }).catchall(AnyJson);
const ListedQueue = z.object({ items: z.array(ListedItem) }).catchall(AnyJson);
const ListedComputer = z.object({ displayName: z.string() }).catchall(AnyJson);
const ListedComputers = z.object({ computer: z.array(ListedComputer) }).catchall(AnyJson);

/** What an agent asks for, without a user. */
const agentPath = /^\/(jnlpJars\/|tcpSlaveAgentListener\/|computer\/[^/]+\/slave-agent\.jnlp$)/;
const agentPortHeader = 'x-hudson-jnlp-port';
const itemPath = /^\/queue\/item\/(\d+)\/api\/json$/;
/** All of a node but its `offlineCause`: Hudson cannot export a lost connection. */
const computerTree =
  'displayName,idle,jnlpAgent,launchSupported,numExecutors,offline,temporarilyOffline,oneOffExecutors[idle],' +
  'executors[idle,number,progress,currentExecutable[number,url]]';
/** The version that davit may check: the oldest LTS that it supports. */
const jenkinsVersion = '2.479.1';

/**
 * Starts a proxy in front of a Hudson, on the loopback address. What it adds to Hudson is what Jenkins has learned since:
 * - a user with an API token; Hudson runs without security
 * - `changeOfflineCause` and `queue/cancelItem`, by the tests' plugin
 * - `labelExpression` in the queue, and one item of it, also after it has left; `assignedLabels` and `offlineCauseReason`
 *   of a node
 * - the name of the node's type in `doCreateItem`, and of the agent's file
 */
export async function startJenkinsProxy(sockets: HudsonSockets): Promise<JenkinsProxy> {
  const user = { name: 'davit', apiToken: randomUUID() };
  let session = randomUUID();
  const expected = `Basic ${Buffer.from(`${user.name}:${user.apiToken}`).toString('base64')}`;

  const agents = createTcpServer((outside) => {
    const inside = connect(sockets.agents);
    outside.pipe(inside).pipe(outside);
    outside.on('error', () => inside.destroy());
    inside.on('error', () => outside.destroy());
  });
  const { port } = await listenAt(agents, 0, '127.0.0.1');

  async function answer(request: IncomingMessage): Promise<Answer> {
    const body = await buffer(request);
    const path = request.url ?? '/';
    if (agentPath.test(path.replace(/\?.*/, ''))) return withAgentPort(await forward(request, path, body), port);
    if (request.headers.authorization !== expected)
      return refused(401, { 'www-authenticate': 'Basic realm="Jenkins"' });
    const { pathname, searchParams: query } = new URL(path, 'http://localhost');
    const translated = translate(pathname, new URLSearchParams([...query, ...formOf(request, body)]));
    const answered = await forward(request, translated ?? path, body);
    if (translated?.startsWith('/plugin/') && answered.status === 204 && pathname.endsWith('Cause')) {
      return refused(302, { location: pathname.replace(/[^/]*$/, '') });
    }
    if (!pathname.endsWith('/api/json')) return answered;
    const details = Details.parse(await read('/plugin/jenkins-calls/details'));
    const waiting = await waitingItem(itemPath.exec(pathname)?.[1], details);
    if (waiting === undefined && answered.status !== 200) return answered;
    const json = waiting ?? addDetails(pathname, JSON.parse(answered.body.toString()), details);
    return shown(json, query.get('tree'));
  }

  function shown(json: Json, tree: string | null): Answer {
    const body = Buffer.from(JSON.stringify(tree === null ? json : pruneJson(json, tree)));
    const own = { 'x-jenkins': jenkinsVersion, 'x-jenkins-session': session };
    return { status: 200, headers: { 'content-type': 'application/json', ...own }, body };
  }

  /** An item that is still in the queue. */
  async function waitingItem(id: string | undefined, details: Details): Promise<Json | undefined> {
    if (id === undefined) return undefined;
    const item = ListedQueue.parse(await read('/queue/api/json')).items.find((each) => String(each.id) === id);
    return item && withLabel(item, details);
  }

  async function read(path: string): Promise<Json> {
    return JSON.parse((await ask(sockets.http, path)).body.toString());
  }

  function forward({ method, headers }: IncomingMessage, path: string, body: Buffer): Promise<Answer> {
    return ask(sockets.http, path, {
      method: method ?? 'GET',
      headers: { ...headers, 'accept-encoding': 'identity', connection: 'close' },
      body,
    });
  }

  const server = createServer((request, response) => {
    answer(request)
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
      // Hudson is away.
      .catch((error: unknown) => response.writeHead(503).end(String(error)));
  });
  const { url, stop } = await listen(server);
  return {
    url,
    user,
    beginSession: () => {
      session = randomUUID();
    },
    stop: async () => {
      agents.close();
      await stop();
    },
  };
}

/** The path of Hudson for a call of Jenkins; undefined when Hudson has it, too. */
function translate(pathname: string, query: URLSearchParams): string | undefined {
  const [, node = '', call] = /^\/computer\/([^/]+)\/(changeOfflineCause|jenkins-agent\.jnlp)$/.exec(pathname) ?? [];
  const name = decodeURIComponent(node);
  if (call === 'jenkins-agent.jnlp') return `/computer/${node}/slave-agent.jnlp`;
  if (call !== undefined) {
    const offlineMessage = query.get('offlineMessage') ?? '';
    return `/plugin/jenkins-calls/changeOfflineCause?${new URLSearchParams({ name, offlineMessage }).toString()}`;
  }
  if (pathname === '/queue/cancelItem') return `/plugin/jenkins-calls/cancelItem?${query.toString()}`;
  if (pathname === '/computer/doCreateItem') {
    const renamed = new URLSearchParams({ name: query.get('name') ?? '' });
    // Hudson finds a descriptor by the name of its class, Jenkins by that of what it describes.
    const type = query.get('type') ?? '';
    renamed.set('type', type === 'hudson.slaves.DumbSlave' ? `${type}$DescriptorImpl` : type);
    return `${pathname}?${renamed.toString()}`;
  }
  // Not with the caller's `tree`, so that the proxy can add to the answer.
  if (pathname === '/computer/api/json')
    return `${pathname}?tree=busyExecutors,displayName,totalExecutors,computer[${computerTree}]`;
  if (/^\/computer\/[^/]+\/api\/json$/.test(pathname)) return `${pathname}?tree=${computerTree}`;
  const [, id] = itemPath.exec(pathname) ?? [];
  if (id !== undefined) return `/plugin/jenkins-calls/leftItem?id=${id}`;
  return pathname === '/queue/api/json' ? pathname : undefined;
}

function addDetails(pathname: string, json: Json, details: Details): Json {
  if (pathname === '/queue/api/json') {
    const queue = ListedQueue.parse(json);
    return { ...queue, items: queue.items.map((item) => withLabel(item, details)) };
  }
  if (pathname === '/computer/api/json') {
    const set = ListedComputers.parse(json);
    return { ...set, computer: set.computer.map((computer) => withNode(computer, details)) };
  }
  return pathname.startsWith('/computer/') ? withNode(ListedComputer.parse(json), details) : json;
}

function withLabel(item: z.infer<typeof ListedItem>, { labels }: Details): Json {
  return { ...item, task: { ...item.task, labelExpression: labels[item.id] ?? null } };
}

function withNode(computer: z.infer<typeof ListedComputer>, { nodes }: Details): Json {
  const { labels = [], reason = '' } = nodes[computer.displayName] ?? {};
  return { ...computer, assignedLabels: labels.map((name) => ({ name })), offlineCauseReason: reason };
}

async function ask(
  socketPath: string,
  path: string,
  options: { method?: string; headers?: OutgoingHttpHeaders; body?: Buffer } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options;
  const asked = sendRequest({ socketPath, path, method, headers, agent: false });
  asked.end(body);
  const [answered]: IncomingMessage[] = await once(asked, 'response');
  if (answered === undefined) throw new Error('expected an answer');
  const { 'transfer-encoding': _chunked, ...kept } = answered.headers;
  return { status: answered.statusCode ?? 500, headers: kept, body: await buffer(answered) };
}

/** The parameters in a body that is a form. */
function formOf({ headers }: IncomingMessage, body: Buffer): URLSearchParams {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  return new URLSearchParams(isForm ? body.toString() : '');
}

/** Agents outside of Hudson's network reach its agent port at the proxy's. */
function withAgentPort(answered: Answer, port: number): Answer {
  if (answered.headers[agentPortHeader] === undefined) return answered;
  return { ...answered, headers: { ...answered.headers, [agentPortHeader]: String(port) } };
}

function refused(status: number, headers: OutgoingHttpHeaders): Answer {
  return { status, headers, body: Buffer.alloc(0) };
}
