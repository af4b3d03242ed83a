import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Backend } from './service-ports.ts';

/** The longest time for a dial. On the loopback interface, a dial succeeds or fails at once. */
const dialTimeoutMs = 2000;

/** The settings of a listener. */
export interface ListenerOptions {
  address: string;
  port: number;
  /** The time between attempts to open a port that another process holds. */
  retryMs: number;
  /** Returns the present backends. A connection goes to the first that answers. */
  backends(): Backend[];
  /** Called when the port cannot be opened. */
  onFailure(error: Error): void;
}

/** An open nodePort. */
export interface NodePortListener {
  /** Accepts no more connections. Resolves when the last open connection has ended. */
  close(): Promise<void>;
  /** Closes the listener and all its connections. */
  destroy(): Promise<void>;
}

/** Opens a nodePort as soon as possible, and forwards its connections. */
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
    if (!server.listening) retry = setTimeout(listen, options.retryMs);
  });
  listen();
  const close = async () => {
    clearTimeout(retry);
    // A server that never got its port reports an error on close. This ignores it.
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    close,
    async destroy() {
      const closed = close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Connects a client to the first backend that answers. Resets the client if none answers, as if no port were open. */
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
    const socket = connect({ host: address, port, allowHalfOpen: true, timeout: dialTimeoutMs });
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
