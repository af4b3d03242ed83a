import { once } from 'node:events';
import type { Server } from 'node:http';
import { listen as listenAt } from '../../local/loopback-server.ts';

/** A server of a test. */
export interface Listening {
  port: number;
  url: string;
  /** Stops the server, and closes its connections at once. */
  stop: () => Promise<void>;
}

/** Binds a server to a free port of the loopback address. */
export async function listen(server: Server): Promise<Listening> {
  const { port } = await listenAt(server, 0, '127.0.0.1');
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { port, url: `http://127.0.0.1:${port}`, stop };
}
