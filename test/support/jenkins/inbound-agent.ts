import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type * as z from 'zod';
import { agentHeaders, cookieHeader, RunMessage } from './agent-endpoint.ts';

/** How an agent reaches its server. */
export interface InboundAgentOptions {
  /** Without a trailing slash. */
  url: string;
  name: string;
  secret: string;
  /** Whether it connects again after it lost the connection, as agent.jar does without `-noReconnect`. @default false */
  reconnects?: boolean;
}

/** A connected agent. */
export interface InboundAgent extends AsyncDisposable {
  /** Why it ended; it ends when it is stopped, killed, or loses its connection and does not reconnect. */
  readonly ended: Promise<string>;
  /** Ends it and its builds at once, without a word to the server. */
  kill(): void;
}

type Build = z.infer<typeof RunMessage>['run'];

const reconnectPauseMs = 50;

/**
 * Connects an agent to a fake Jenkins. It runs each build's script in a shell, also while its connection is lost.
 *
 * @throws Error with the server's words when the server refuses it
 */
export async function connectInboundAgent(options: InboundAgentOptions): Promise<InboundAgent> {
  const { reconnects = false } = options;
  const running = new Set<ChildProcess>();
  const unsent: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  let isStopped = false;
  let cookie: string | undefined;
  let socket = await connect();

  async function connect(): Promise<WebSocket> {
    const opened = await open(options, cookie, run);
    cookie = opened.cookie;
    opened.socket.on('close', () => void lost());
    for (const message of unsent.splice(0)) opened.socket.send(message);
    return opened.socket;
  }

  async function lost(): Promise<void> {
    while (!isStopped) {
      if (!reconnects) return stop('the connection is lost');
      await sleep(reconnectPauseMs);
      try {
        socket = await connect();
        return;
      } catch (error) {
        if (String(error).includes('no such agent')) return stop(String(error));
      }
    }
  }

  async function run({ job, number, script }: Build): Promise<void> {
    // In a process group of its own, so that a kill reaches what the script has started.
    const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [exitCode] = (await once(child, 'close')) as [number | null];
    running.delete(child);
    const message = JSON.stringify({ end: { job, number, exitCode: exitCode ?? 137, output } });
    if (socket.readyState === WebSocket.OPEN) socket.send(message);
    else unsent.push(message);
  }

  function stop(reason: string): void {
    isStopped = true;
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    socket.terminate();
    end(reason);
  }

  return {
    ended,
    kill: () => stop('killed'),
    async [Symbol.asyncDispose]() {
      stop('stopped');
    },
  };
}

/** @see hudson.remoting.Engine#runWebSocket */
async function open(
  options: InboundAgentOptions,
  cookie: string | undefined,
  run: (build: Build) => Promise<void>,
): Promise<{ socket: WebSocket; cookie: string }> {
  const headers = {
    [agentHeaders.name]: options.name,
    [agentHeaders.secret]: options.secret,
    [agentHeaders.capability]: 'davit-test',
    ...(cookie === undefined ? {} : { [cookieHeader]: cookie }),
  };
  const socket = new WebSocket(`${options.url.replace(/^http/, 'ws')}/wsagents/`, { headers });
  socket.on('message', (data) => void run(RunMessage.parse(JSON.parse(data.toString())).run));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.on('upgrade', ({ headers: answered }) => resolve(String(answered[cookieHeader])));
  socket.on('unexpected-response', (_, { statusCode, statusMessage }) => {
    socket.terminate();
    reject(new Error(`Jenkins refuses the agent ${options.name}: ${statusCode} ${statusMessage}`));
  });
  socket.on('error', reject);
  const granted = await promise;
  if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open');
  return { socket, cookie: granted };
}
