import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Backend } from './service-ports.ts';

/** How long a dial may take: on the loopback interface it succeeds or fails at once. */
const DIAL_TIMEOUT_MS = 2000;

/** What a listener is told, and what it tells. */
export interface ListenerOptions {
  address: string;
  port: number;
  /** How long to wait before a port is tried again that something else holds. */
  retryMs: number;
  /** Where connections can go now; the first that answers is taken. */
  backends(): Backend[];
  /** The port could not be opened. */
  onFailure(error: Error): void;
}

/** An open nodePort. */
export interface NodePortListener {
  /** Takes no more connections; those that there are go on. Resolves when the last has ended. */
  close(): Promise<void>;
  /** Ends the connections too. */
  destroy(): Promise<void>;
}

/** Opens a nodePort, as soon as it can be, and forwards what connects to it. */
export function openNodePort(options: ListenerOptions): NodePortListener {
  const sockets = new Set<Socket>();
  let retry: NodeJS.Timeout | undefined;
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    void forward(client, options.backends());
  });
  const listen = () => server.listen({ host: options.address, port: options.port, exclusive: true });
  server.on('error', (error) => {
    options.onFailure(error);
    if (!server.listening) {
      retry = setTimeout(listen, options.retryMs);
    }
  });
  listen();
  const close = async () => {
    clearTimeout(retry);
    // A server that never got its port says so as it closes: that is no error here.
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    close,
    async destroy() {
      const closed = close();
      for (const socket of sockets) {
        socket.destroy();
      }
      await closed;
    },
  };
}

/** A client that nobody answers is reset, as if nothing had listened at all. */
async function forward(client: Socket, backends: readonly Backend[]): Promise<void> {
  const end = () => client.destroy();
  client.on('error', end);
  for (const backend of backends) {
    const server = await dial(backend);
    if (server !== undefined) {
      server.on('error', () => client.resetAndDestroy());
      client.on('error', () => server.destroy());
      client.on('close', () => server.destroy());
      server.on('close', () => client.destroy());
      client.pipe(server);
      server.pipe(client);
      return;
    }
  }
  client.resetAndDestroy();
}

async function dial({ address, port }: Backend): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, timeout: DIAL_TIMEOUT_MS });
    const fail = () => {
      socket.destroy();
      resolve(undefined);
    };
    socket.once('error', fail);
    socket.once('timeout', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      socket.off('timeout', fail);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}
