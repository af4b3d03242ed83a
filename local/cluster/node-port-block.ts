import { createServer, type Server } from 'node:net';

/** Ports that are one cluster's to give to its Services, until they are released. */
export interface NodePortBlock {
  ports: number[];
  release(): Promise<void>;
}

const FIRST_PORT = 30_000;
const LAST_PORT = 32_767;

const listen = (port: number): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') {
        resolve(undefined);
      } else {
        reject(error);
      }
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });

const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

const isFree = async (port: number): Promise<boolean> => {
  const server = await listen(port);
  if (server !== undefined) {
    await close(server);
  }
  return server !== undefined;
};

/**
 * Reserves a block of Kubernetes' own range of nodePorts, 30000 to 32767, on this machine. Several clusters may run on
 * it at once: each listens on the port before its block, by which the others know that the block is taken.
 *
 * @param size - how many ports
 * @throws Error if every block is taken.
 */
export const reserveNodePorts = async (size: number): Promise<NodePortBlock> => {
  const count = Math.floor((LAST_PORT - FIRST_PORT + 1) / (size + 1));
  // Not all begin with the same block: so two that start at once seldom meet.
  const offset = Math.floor(Math.random() * count);
  for (let index = 0; index < count; index += 1) {
    const marker = FIRST_PORT + ((index + offset) % count) * (size + 1);
    const lock = await listen(marker);
    if (lock !== undefined) {
      const candidates = Array.from({ length: size }, (_, place) => marker + 1 + place);
      const free = await Promise.all(candidates.map(isFree));
      return { ports: candidates.filter((_, place) => free[place]), release: () => close(lock) };
    }
  }
  throw new Error(`no ${size} ports from ${FIRST_PORT} to ${LAST_PORT} are left for the sandbox cluster's Services`);
};
