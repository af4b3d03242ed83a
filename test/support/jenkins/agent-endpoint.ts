import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import * as z from 'zod';
import type { JenkinsState } from './jenkins-state.ts';
import type { AgentChannel, JenkinsNode } from './records.ts';

/** Sent to an agent: a build to run. Jenkins sends Java objects instead. */
export const RunMessage = z.object({ run: z.object({ job: z.string(), number: z.int(), script: z.string() }) });
/** Sent by an agent: the end of a build's script. */
const EndMessage = z.object({
  end: z.object({ job: z.string(), number: z.int(), exitCode: z.int(), output: z.string() }),
});

/** The headers of an agent's request. @see org.jenkinsci.remoting.engine.JnlpConnectionState, hudson.remoting.Capability */
export const agentHeaders = { name: 'node-name', secret: 'secret-key', capability: 'x-remoting-capability' } as const;
/** The cookie that proves that a second connection is from the same agent. @see hudson.remoting.Engine */
export const cookieHeader = 'connection-cookie';

/** The connections of agents, at `/wsagents/`. */
export interface AgentEndpoint {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Accepts agents as Jenkins does. @see jenkins.agents.WebSocketAgents, jenkins.slaves.DefaultJnlpSlaveReceiver */
export function agentEndpoint(state: JenkinsState, secretOf: (name: string) => string): AgentEndpoint {
  const server = new WebSocketServer({ noServer: true });
  const cookies = new WeakMap<AgentChannel, string>();
  const granted = new WeakMap<IncomingMessage, string>();
  server.on('headers', (headers, request) => headers.push(`${cookieHeader}: ${granted.get(request)}`));

  function refusalOf(node: JenkinsNode | undefined, request: IncomingMessage): [number, string] | undefined {
    const { [agentHeaders.secret]: secret, [agentHeaders.capability]: capability } = request.headers;
    if (typeof secret !== 'string' || capability === undefined || request.headers[agentHeaders.name] === undefined) {
      return [400, 'This endpoint is only for use from agent.jar in WebSocket mode'];
    }
    if (node === undefined) return [400, 'no such agent'];
    if (!isSame(secret, secretOf(node.name))) return [403, 'Forbidden'];
    const isSameAgent = node.channel && cookies.get(node.channel) === request.headers[cookieHeader];
    if (node.channel === undefined || isSameAgent) return undefined;
    return [400, `${node.name} is already connected to this controller. Rejecting this connection.`];
  }

  return {
    upgrade: (request, socket, head) => {
      const node = state.nodes.get(String(request.headers[agentHeaders.name]));
      const refusal = refusalOf(node, request);
      if (node === undefined || refusal !== undefined) {
        const [status, message] = refusal ?? [400, 'no such agent'];
        socket.end(`HTTP/1.1 ${status} ${message}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
        return;
      }
      const cookie = String(request.headers[cookieHeader] ?? randomBytes(32).toString('hex'));
      granted.set(request, cookie);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const channel = open(state, node, webSocket);
        cookies.set(channel, cookie);
      });
    },
  };
}

function open(state: JenkinsState, node: JenkinsNode, webSocket: WebSocket): AgentChannel {
  const channel: AgentChannel = {
    run: ({ job, number, script }) => webSocket.send(JSON.stringify({ run: { job, number, script } })),
    close: () => webSocket.close(),
  };
  webSocket.on('message', (data) => {
    const { end } = EndMessage.parse(JSON.parse(data.toString()));
    state.finish(end.job, end.number, end);
  });
  webSocket.on('close', () => state.disconnect(node, channel));
  node.channel?.close();
  state.connect(node, channel);
  return channel;
}

function isSame(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
