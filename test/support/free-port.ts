import { once } from 'node:events';
import { createServer } from 'node:net';
import { listen } from '../../local/loopback-server.ts';

/** Finds a free port of an address, one that can be bound repeatedly. */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  const { port } = await listen(server, 0, host);
  server.close();
  await once(server, 'close');
  return port;
}
