import { once } from 'node:events';
import type { Server } from 'node:http';

/** Binds a server to a free port of the loopback address. */
export async function listen(server: Server): Promise<{ port: number; close: () => Promise<void> }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { port: address.port, close };
}
