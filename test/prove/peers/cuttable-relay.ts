import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../../local/loopback-server.ts';

/** A relay of TCP connections in front of a server. */
export interface CuttableRelay extends AsyncDisposable {
  url: string;
  /** Closes all connections and refuses new ones for a time, as a server does that is restarted. */
  cut(awayMs: number): Promise<void>;
}

/** @param host where it and its server listen @param port the server's */
export async function startCuttableRelay(host: string, port: number): Promise<CuttableRelay> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // the other end sees it
    socket.once('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((client) => {
    const onwards = connect(port, host);
    keep(client, onwards);
    keep(onwards, client);
    client.pipe(onwards).pipe(client);
  });
  const { port: ownPort } = await listen(server, 0, host);
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: `http://${host}:${ownPort}`,
    cut: async (awayMs) => {
      await close();
      await new Promise((resolve) => setTimeout(resolve, awayMs));
      await listen(server, ownPort, host);
    },
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await close();
    },
  };
}
