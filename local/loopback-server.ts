import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';

/** A listening server and how to end it. */
export interface LoopbackServer {
  /** Without a trailing slash, e.g. `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, gives open requests a moment to finish, then closes the remaining connections. */
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
  /** Answers a request that is not HTTP. @default Node's answer: 400, or 431 for too many header bytes */
  onClientError?: (error: NodeJS.ErrnoException, socket: Duplex) => void;
}

const stopGraceMs = 2_000;

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

  const stop = stopOnce(() => closeGently(server));
  return { url: `http://${inUrl(host)}:${port}`, port, stop, [Symbol.asyncDispose]: stop };
}

/** An IPv6 address stands in brackets. @see https://www.rfc-editor.org/rfc/rfc3986#section-3.2.2 */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Makes a repeatable stop: every call waits for the same stop. */
export function stopOnce(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= stop();
    return stopped;
  };
}

function closeGently(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const grace = setTimeout(() => server.closeAllConnections(), stopGraceMs);
    server.close((error) => {
      clearTimeout(grace);
      if (error) reject(error);
      else resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * Makes a server listen and waits until it does.
 *
 * @throws the listen error as Node words it.
 */
export function listen(server: NetServer, port: number, host: string): Promise<AddressInfo> {
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
