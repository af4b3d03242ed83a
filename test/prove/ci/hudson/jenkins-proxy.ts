import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { listen as listenAt } from '../../../../local/loopback-server.ts';
import { type Json, pruneJson } from '../../../support/jenkins/exported.ts';
import { jenkinsVersion } from '../../../support/jenkins/route.ts';
import { listen } from '../../../support/listen.ts';
import { addDetails, Details, ListedQueue, withLabel } from './add-details.ts';
import { type Answer, askHudson } from './ask-hudson.ts';
import { joinSockets } from './join-sockets.ts';
import { buildPath, itemPath, translateCall } from './translate-call.ts';

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
  /** Changes the session, which each answer of Jenkins names: the server has restarted. */
  beginSession(): void;
  stop(): Promise<void>;
}

/** What an agent asks for, without a user. */
const agentPath = /^\/(jnlpJars\/|tcpSlaveAgentListener\/|computer\/[^/]+\/slave-agent\.jnlp$)/;
const agentPortHeader = 'x-hudson-jnlp-port';

/**
 * Starts a proxy in front of a Hudson, on the loopback address. It adds what Jenkins has and Hudson has not:
 * - a user with an API token; Hudson runs without security
 * - `changeOfflineCause` and `queue/cancelItem`, by the tests' plugin
 * - `labelExpression` in the queue, and one item of it, also after it has left; `assignedLabels` and `offlineCauseReason`
 *   of a node, which is busy as soon as it is given a build
 * - the item that a build becomes in the queue, without a quiet period
 * - the name of the node's type in `doCreateItem`, and of the agent's file
 */
export async function startJenkinsProxy(sockets: HudsonSockets): Promise<JenkinsProxy> {
  const user = { name: 'davit', apiToken: randomUUID() };
  let session = randomUUID();
  const expected = `Basic ${Buffer.from(`${user.name}:${user.apiToken}`).toString('base64')}`;

  const agents = createTcpServer((outside) => joinSockets(outside, connect(sockets.agents)));
  const { port } = await listenAt(agents, 0, '127.0.0.1');

  async function answer(request: IncomingMessage): Promise<Answer> {
    const body = await buffer(request);
    const path = request.url ?? '/';
    if (agentPath.test(path.replace(/\?.*/, ''))) return withAgentPort(await forward(request, path, body), port);
    if (request.headers.authorization !== expected) return empty(401, { 'www-authenticate': 'Basic realm="Jenkins"' });
    const { pathname, searchParams: query } = new URL(path, 'http://localhost');
    const translated = translateCall(pathname, new URLSearchParams([...query, ...formOf(request, body)]));
    const answered = await forward(request, translated ?? path, body);
    const isSet = pathname.endsWith('/changeOfflineCause') && answered.status === 204;
    if (isSet) return empty(302, { location: pathname.replace(/[^/]*$/, '') });
    if (buildPath.test(pathname) && answered.status === 200)
      return empty(201, { location: `/queue/item/${answered.body.toString()}/` });
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
    return JSON.parse((await askHudson(sockets.http, path)).body.toString());
  }

  function forward({ method, headers }: IncomingMessage, path: string, body: Buffer): Promise<Answer> {
    return askHudson(sockets.http, path, {
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

function formOf({ headers }: IncomingMessage, body: Buffer): URLSearchParams {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  return new URLSearchParams(isForm ? body.toString() : '');
}

/** Agents outside of Hudson's network reach its agent port at the proxy's. */
function withAgentPort(answered: Answer, port: number): Answer {
  if (answered.headers[agentPortHeader] === undefined) return answered;
  return { ...answered, headers: { ...answered.headers, [agentPortHeader]: String(port) } };
}

function empty(status: number, headers: OutgoingHttpHeaders): Answer {
  return { status, headers, body: Buffer.alloc(0) };
}
