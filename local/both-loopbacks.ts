import type { RequestListener } from 'node:http';
import { type LoopbackServer, startLoopbackServer, stopOnce } from './loopback-server.ts';

/** What a machine without IPv6 says. */
const withoutIpv6: readonly unknown[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];
const mostTries = 20;

/**
 * Starts an HTTP server at the same port of 127.0.0.1 and, where there is IPv6, of ::1. A browser asks either of them
 * for a name under `.localhost`: another user's program must not answer at the other.
 *
 * @param port 0 for any port that is free at both
 * @throws the listen error (EADDRINUSE, EACCES) as Node words it
 */
export async function startOnBothLoopbacks(listener: RequestListener, port: number): Promise<LoopbackServer> {
  for (let tries = 1; ; tries += 1) {
    const server = await startLoopbackServer(listener, { port });
    try {
      const other = await startLoopbackServer(listener, { port: server.port, host: '::1' });
      const stop = stopOnce(async () => void (await Promise.all([server.stop(), other.stop()])));
      return { ...server, stop, [Symbol.asyncDispose]: stop };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (withoutIpv6.includes(code)) return server;
      await server.stop();
      if (code !== 'EADDRINUSE' || port !== 0 || tries === mostTries) throw error;
    }
  }
}
