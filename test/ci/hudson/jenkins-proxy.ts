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

/** What an agent asks for, without a user. */
const agentPath = /^\/(jnlpJars\/|tcpSlaveAgentListener\/|computer\/[^/]+\/slave-agent\.jnlp$)/;
const agentPortHeader = 'x-hudson-jnlp-port';
/** All of a node but its `offlineCause`: Hudson cannot export a lost connection. */
const computerTree = [
  ...['displayName', 'idle', 'jnlpAgent', 'launchSupported', 'numExecutors', 'offline', 'temporarilyOffline'],
  ...['executors[idle,number,progress,currentExecutable[number,url]]', 'oneOffExecutors[idle]'],
].join(',');
/** The version that davit may check: the oldest LTS that it supports. */
const jenkinsVersion = '2.479.1';

/**
 * Starts a proxy in front of a Hudson, on the loopback address. What it adds to Hudson is what Jenkins has learned since:
 * - a user with an API token; Hudson runs without security
 * - `changeOfflineCause` and `queue/cancelItem`, by the tests' plugin
 * - `labelExpression` in the queue; `assignedLabels` and `offlineCauseReason` of a node
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
    const isApi = pathname.endsWith('/api/json') && answered.status === 200;
    return isApi ? enriched(pathname, query, answered) : answered;
  }

  async function enriched(pathname: string, query: URLSearchParams, answered: Answer): Promise<Answer> {
    const details = Details.parse(
      JSON.parse((await ask(sockets.http, '/plugin/jenkins-calls/details')).body.toString()),
    );
    const json = addDetails(pathname, JSON.parse(answered.body.toString()), details);
    const tree = query.get('tree');
    const body = Buffer.from(JSON.stringify(tree === null ? json : pruneJson(json, tree)));
    const own = { 'x-jenkins': jenkinsVersion, 'x-jenkins-session': session };
    return { status: 200, headers: { 'content-type': 'application/json', ...own }, body };
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
    return `/plugin/jenkins-calls/changeOfflineCause?${new URLSearchParams({ name, offlineMessage })}`;
  }
  if (pathname === '/queue/cancelItem') return `/plugin/jenkins-calls/cancelItem?${query}`;
  if (pathname === '/computer/doCreateItem') {
    const renamed = new URLSearchParams({ name: query.get('name') ?? '' });
    // Hudson finds a descriptor by the name of its class, Jenkins by that of what it describes.
    const type = query.get('type') ?? '';
    renamed.set('type', type === 'hudson.slaves.DumbSlave' ? `${type}$DescriptorImpl` : type);
    return `${pathname}?${renamed}`;
  }
  // Not with the caller's `tree`, so that the proxy can add to the answer.
  if (pathname === '/computer/api/json')
    return `${pathname}?tree=busyExecutors,displayName,totalExecutors,computer[${computerTree}]`;
  if (/^\/computer\/[^/]+\/api\/json$/.test(pathname)) return `${pathname}?tree=${computerTree}`;
  return pathname === '/queue/api/json' ? pathname : undefined;
}

function addDetails(pathname: string, json: Json, { labels, nodes }: Details): Json {
  const withNode = (computer: Record<string, Json>): Json => {
    const node = nodes[String(computer['displayName'])];
    const assignedLabels = (node?.labels ?? []).map((name) => ({ name }));
    return { ...computer, assignedLabels, offlineCauseReason: node?.reason ?? '' };
  };
  const withLabel = (item: Record<string, Json>): Json => {
    const task = item['task'] as Record<string, Json>;
    return { ...item, task: { ...task, labelExpression: labels[String(item['id'])] ?? null } };
  };
  const object = json as Record<string, Json>;
  if (pathname === '/queue/api/json')
    return { ...object, items: (object['items'] as Record<string, Json>[]).map(withLabel) };
  if (pathname === '/computer/api/json') {
    return { ...object, computer: (object['computer'] as Record<string, Json>[]).map(withNode) };
  }
  return pathname.startsWith('/computer/') ? withNode(object) : json;
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
