import { connect } from 'node:net';
import * as z from 'zod';

/** The parts of one request, sent byte for byte, without escapes, checks or corrections. */
export interface RawRequest {
  method: string;
  /** The request line's target, unchanged. */
  target: string;
  /** Names and values, in order; names may repeat. `host`, `connection` and the body's length are added. */
  headers?: readonly (readonly [name: string, value: string])[];
  body?: Buffer | string;
}

/** The server's answer. */
export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  status: number;
  contentType: string;
  /** The parsed body; empty when it is not JSON. */
  body: Record<string, unknown>;
}

const Body = z.record(z.string(), z.unknown());

/** Sends a request over a new connection. */
export function exchange(url: string, { method, target, headers = [], body = '' }: RawRequest): Promise<RawAnswer> {
  const bytes = Buffer.from(body);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `${method} ${target} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nconnection: close\r\ncontent-length: ${bytes.length}\r\n`;
  return exchangeBytes(url, Buffer.concat([Buffer.from(`${head}${lines}\r\n`), bytes]));
}

/** Sends any bytes, and reads the answer until the connection closes. */
async function exchangeBytes(url: string, bytes: Buffer | string): Promise<RawAnswer> {
  const { hostname: host, port } = new URL(url);
  const closed = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  const socket = connect({ host, port: Number(port) }, () => socket.write(bytes));
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server may answer and close before it has read everything: its answer counts.
  socket.on('error', () => socket.destroy());
  socket.on('close', () => closed.resolve());
  await closed.promise;
  return readAnswer(Buffer.concat(chunks).toString());
}

function readAnswer(text: string): RawAnswer {
  const headEnd = text.indexOf('\r\n\r\n');
  const head = text.slice(0, headEnd);
  const contentType = /^content-type: (.*)$/im.exec(head)?.[1] ?? '';
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0),
    contentType,
    body: contentType.includes('json') ? Body.parse(JSON.parse(text.slice(headEnd + 4))) : {},
  };
}
