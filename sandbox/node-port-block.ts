import { createServer, type Server } from 'node:net';

/** Ports that one cluster has reserved for its Services. */
export interface NodePortBlock {
  ports: number[];
  release(): Promise<void>;
}

const firstPort = 30_000;
const lastPort = 32_767;

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    // An accepted connection without a reader would keep the server from closing for ever.
    const server = createServer((client) => client.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') {
        resolve(undefined);
      } else {
        reject(error);
      }
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server !== undefined) await close(server);
  return server !== undefined;
}

/**
 * Reserves a block of nodePorts on this machine, within Kubernetes' own range of 30000 to 32767. Several clusters can
 * run at once: each listens on the port before its block, which tells the others that the block is taken.
 *
 * @param size - how many ports
 * @throws Error if every block is taken.
 */
export async function reserveNodePorts(size: number): Promise<NodePortBlock> {
  const count = Math.floor((lastPort - firstPort + 1) / (size + 1));
  // Each search starts at a random block, so two clusters that start together seldom collide.
  const offset = Math.floor(Math.random() * count);
  for (let index = 0; index < count; index += 1) {
    const marker = firstPort + ((index + offset) % count) * (size + 1);
    const lock = await listen(marker);
    if (lock !== undefined) {
      const candidates = Array.from({ length: size }, (_, place) => marker + 1 + place);
      const free = await Promise.all(candidates.map(isFree));
      return { ports: candidates.filter((_, place) => free[place]), release: () => close(lock) };
    }
  }
  throw new Error(
    `the sandbox cluster needs ${size} nodePorts for its Services, but every block from ${firstPort} to ${lastPort} is taken`,
  );
}
