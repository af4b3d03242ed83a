import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';
import * as z from 'zod';
import type { ServiceRequest } from './messages.ts';

const Exchange = z.object({ request: z.instanceof(IncomingMessage) });

/**
 * Observes every request that an HTTP server of this process answers from now on, without a proxy.
 *
 * @param serviceOf names the service at a port; undefined for a port to ignore
 * @see https://nodejs.org/api/diagnostics_channel.html#http
 */
export function onServiceRequest(
  serviceOf: (port: number) => ServiceRequest['service'] | undefined,
  heard: (request: ServiceRequest) => void,
): void {
  const started = new WeakMap<IncomingMessage, number>();
  subscribe('http.server.request.start', (message) => {
    started.set(Exchange.parse(message).request, nowEpochMs());
  });
  subscribe('http.server.response.finish', (message) => {
    const { request } = Exchange.parse(message);
    const service = serviceOf(request.socket.localPort ?? 0);
    const startEpochMs = started.get(request);
    if (service === undefined || startEpochMs === undefined) return;
    const target = request.headers['x-amz-target'];
    const operation = typeof target === 'string' ? (target.split('.')[1] ?? '') : `${request.method} ${request.url}`;
    heard({ service, operation, startEpochMs, endEpochMs: nowEpochMs() });
  });
}

/** The current time in epoch milliseconds, with fractions. */
export function nowEpochMs(): number {
  return performance.timeOrigin + performance.now();
}
