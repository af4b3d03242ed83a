import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../../core/config/read-config.ts';
import { listen } from '../../../local/loopback-server.ts';
import { asWritten, profileLike } from '../../support/profile-like.ts';
import { until } from '../../support/until.ts';

/** Tracks the processes of agents. Each holds a connection, which ends with the process. */
export interface AgentTracker extends AsyncDisposable {
  /**
   * Writes a davit.yaml whose agents are tracked. Its profiles are: `prompt`, the reference agent; `held`, the same
   * after `release`; `nowhere`, which no node takes; `lasting`, which takes a second to end.
   */
  writeConfig(path: string): Promise<void>;
  /** Lets the held agents, and all later ones, connect. */
  release(): void;
  /** The names of the running agents. */
  running(): string[];
  /** Waits until an agent runs. */
  untilRunning(agentName: string): Promise<void>;
  /** Waits until no agent runs, except these. */
  untilOnlyRunning(...agentNames: string[]): Promise<void>;
}

const agentPath = fileURLToPath(new URL('../../../local/agent/agent.ts', import.meta.url));

/** Starts to track agents. */
export async function startAgentTracker(): Promise<AgentTracker> {
  const names = new Map<Socket, string>();
  const listeners = new Set<() => void>();
  let isReleased = false;
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const server = createServer((socket) => {
    socket.once('data', (name: Buffer) => {
      names.set(socket, name.toString());
      if (isReleased) socket.write('go');
      changed();
    });
    // A killed process may reset its connection.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      names.delete(socket);
      changed();
    });
  });
  const { port } = await listen(server, 0, '127.0.0.1');
  const running = () => [...names.values()].toSorted();
  const untilTrue = (isTrue: () => boolean) =>
    until({
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      look: () => isTrue() || undefined,
      missing: () => `running agents: ${running().join(', ')}`,
    });
  return {
    writeConfig: (path) => writeConfig(path, port),
    release: () => {
      isReleased = true;
      for (const socket of names.keys()) socket.write('go');
    },
    running,
    untilRunning: async (agentName) => {
      await untilTrue(() => running().includes(agentName));
    },
    untilOnlyRunning: async (...agentNames) => {
      await untilTrue(() => running().every((name) => agentNames.includes(name)));
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
}

async function writeConfig(path: string, port: number): Promise<void> {
  const answer = `const tracker = require('node:net').connect(${port}, '127.0.0.1'); tracker.write(process.env.DAVIT_AGENT_NAME);`;
  const beAgent = `import(${JSON.stringify(agentPath)});`;
  const running = (script: string) => ({ command: [process.execPath, '-e', answer + script] });
  const kinds = {
    prompt: { agent: running(beAgent) },
    held: { agent: running(`tracker.once('data', () => { ${beAgent} });`) },
    nowhere: { agent: running(beAgent), spec: { nodeSelector: { is: 'nowhere' } } },
    lasting: { agent: running(`process.on('SIGTERM', () => setTimeout(() => process.exit(), 1000));`) },
  };
  const config = await readConfig('davit.yaml');
  const [like] = config.profiles;
  if (like === undefined) throw new Error('davit.yaml has no profile');
  const profiles = Object.entries(kinds).map(([name, kind]) =>
    asWritten({ ...profileLike(like, name, kind), labels: [name] }),
  );
  await writeFile(path, JSON.stringify({ ...config, profiles }));
}
