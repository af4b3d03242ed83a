import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LoopbackServer, startLoopbackServer } from '../loopback-server.ts';
import { wordsOf } from './words-of.ts';

/** Where davit serves its metrics. */
export interface MetricsListen {
  host: string;
  /** 0 for any free port. */
  port: number;
}

const metricsPath = '/metrics';

/**
 * Serves a page of metrics to Prometheus at `/metrics`, on a port of its own: an ingress for webhooks and agents cannot
 * show it.
 *
 * @returns the server. Its `url` has no path
 * @throws Error naming `--metrics-listen`, with the listen error (EADDRINUSE, EACCES) as Node words it
 */
export async function serveMetrics(
  page: () => Promise<string>,
  { host, port }: MetricsListen,
): Promise<LoopbackServer> {
  try {
    return await startLoopbackServer((request, response) => void answer(page, request, response), { host, port });
  } catch (error) {
    // Without the error's code: local/main.ts would take the port for that of --listen.
    throw new Error(`--metrics-listen: ${wordsOf(error)}`, { cause: error });
  }
}

async function answer(page: () => Promise<string>, { method, url }: IncomingMessage, response: ServerResponse) {
  if (url?.split('?')[0] !== metricsPath) return say(response, 404, `The metrics are at ${metricsPath}`);
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return say(response, 405, 'Metrics can be read only');
  }
  try {
    const text = await page();
    response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    response.end(text);
  } catch (error) {
    // Prometheus then says that the target is down, and why.
    say(response, 500, wordsOf(error));
  }
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
