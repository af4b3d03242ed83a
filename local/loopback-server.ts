import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A listening server and how to end it. */
export interface LoopbackServer {
  /** Without a trailing slash, e.g. `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, lets open requests finish for a moment, then closes what is left. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Where and how a loopback server listens. */
export interface LoopbackServerOptions {
  /** @default 0, any free port */
  port?: number;
  /** @default '127.0.0.1' */
  host?: string;
  http?: ServerOptions;
  /** Answers what is not HTTP; by default Node answers 400 (431 for too many header bytes). */
  onClientError?: (error: NodeJS.ErrnoException, socket: import('node:stream').Duplex) => void;
}

const STOP_GRACE_MS = 2_000;

/**
 * Starts an HTTP server that only this machine can reach.
 *
 * @throws the listen error (EADDRINUSE, EACCES) as Node words it.
 */
export async function startLoopbackServer(
  listener: RequestListener,
  options: LoopbackServerOptions = {},
): Promise<LoopbackServer> {
  const server = createServer(options.http ?? {}, listener);
  if (options.onClientError) server.on('clientError', options.onClientError);
  const host = options.host ?? '127.0.0.1';
  const { port } = await listen(server, options.port ?? 0, host);

  const stop = () =>
    new Promise<void>((resolve) => {
      const grace = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
      // The only error that close() reports is "not running": a second stop is a stop.
      server.close(() => {
        clearTimeout(grace);
        resolve();
      });
      server.closeIdleConnections();
    });
  return { url: `http://${host}:${port}`, port, stop, [Symbol.asyncDispose]: stop };
}

/**
 * Makes a server listen and waits until it does.
 *
 * @throws the listen error as Node words it.
 */
export function listen(server: import('node:net').Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error(`no TCP address at ${host}:${port}`));
      else resolve(address);
    });
  });
}
