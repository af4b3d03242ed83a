import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Traces } from '../../ports/traces.ts';

/** The dependencies of sending segments. */
export interface XrayTracesDeps {
  /** Where the daemon listens by UDP: `169.254.79.129:2000`. */
  daemonAddress: string;
  /** Reads the trace header of the request that is answered. */
  requestTraceHeader: () => string | undefined;
  log: { warn(message: string, error: Error): void };
}

/**
 * Sends segments to the X-Ray daemon that Lambda runs beside a function whose tracing is active. Sends only sampled
 * traces.
 *
 * @see https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html#xray-api-daemon
 */
export function createXrayTraces(deps: XrayTracesDeps): Traces {
  return {
    async agentConnected({ launchId, agentName, traceHeader }, { fromEpochMs, toEpochMs }) {
      const place = traceHeader === undefined ? undefined : readTraceHeader(traceHeader);
      if (place === undefined || !place.isSampled) return;
      try {
        const annotations = { launchId, agentName, ...ofRequest(deps.requestTraceHeader()) };
        await send(deps.daemonAddress, segmentOf(place, { annotations, fromEpochMs, toEpochMs }));
      } catch (error) {
        deps.log.warn('a segment was not sent', error instanceof Error ? error : new Error(String(error)));
      }
    },
  };
}

/** Finds the request itself, which has its own trace. */
function ofRequest(header: string | undefined): { connectTraceId?: string } {
  const own = header === undefined ? undefined : readTraceHeader(header);
  return own === undefined ? {} : { connectTraceId: own.traceId };
}

interface Told {
  annotations: Record<string, string>;
  fromEpochMs: number;
  toEpochMs: number;
}

/** @see https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html */
function segmentOf({ traceId, parentId }: TracePlace, { annotations, fromEpochMs, toEpochMs }: Told): object {
  return {
    name: 'davit agent connects',
    id: randomBytes(8).toString('hex'),
    trace_id: traceId,
    ...(parentId === undefined ? {} : { parent_id: parentId }),
    start_time: fromEpochMs / 1000,
    end_time: toEpochMs / 1000,
    annotations,
  };
}

/** Resolves when the datagram is with the operating system, before Lambda freezes the function. */
async function send(daemonAddress: string, segment: object): Promise<void> {
  const at = daemonAddress.lastIndexOf(':');
  const host = daemonAddress.slice(0, at).replaceAll(/[[\]]/g, '');
  const text = `${JSON.stringify({ format: 'json', version: 1 })}\n${JSON.stringify(segment)}`;
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.send(text, Number(daemonAddress.slice(at + 1)), host, (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    socket.close();
  }
}

interface TracePlace {
  traceId: string;
  /** The segment that the next one continues; absent at the trace's beginning. */
  parentId?: string;
  isSampled: boolean;
}

/**
 * Reads an X-Ray trace header: `Root=1-…;Parent=…;Sampled=1`.
 *
 * @returns undefined for a text that is no trace header
 * @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
 */
function readTraceHeader(header: string): TracePlace | undefined {
  const traceId = /(?:^|;) *Root=(1-[0-9a-f]{8}-[0-9a-f]{24}) *(?:;|$)/.exec(header)?.[1];
  if (traceId === undefined) return undefined;
  const parentId = /; *Parent=([0-9a-f]{16}) *(?:;|$)/.exec(header)?.[1];
  const isSampled = /; *Sampled=1 *(?:;|$)/.test(header);
  return { traceId, isSampled, ...(parentId === undefined ? {} : { parentId }) };
}
