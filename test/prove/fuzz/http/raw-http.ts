import { connect } from 'node:net';
import type { FuzzRequest } from './fuzz-request.ts';

/** How a request states its body's length. */
export type Framing = 'length' | 'chunked' | 'none' | 'too short' | 'too long' | 'doubled' | 'both' | 'not a number';

/** Writes a request as bytes, without corrections: header values stay as they are. */
export function requestBytes({ method, segments, query, headers, body }: FuzzRequest, framing: Framing): Buffer {
  const path = segments.map((segment) => encodeURIComponent(segment.toWellFormed())).join('/');
  const search = new URLSearchParams(query).toString();
  const head = [
    `${method} /${path}${search === '' ? '' : `?${search}`} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: close',
    ...framingOf(framing, body.length),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n');
  const isChunked = framing === 'chunked' || framing === 'both';
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), isChunked ? chunked(body) : body]);
}

function framingOf(framing: Framing, bytes: number): string[] {
  const chunkedBody = 'transfer-encoding: chunked';
  switch (framing) {
    case 'length':
      return [`content-length: ${bytes}`];
    case 'chunked':
      return [chunkedBody];
    case 'none':
      return [];
    case 'too short':
      return [`content-length: ${Math.floor(bytes / 2)}`];
    case 'too long':
      return [`content-length: ${bytes + 10}`];
    case 'doubled':
      return [`content-length: ${bytes}`, 'content-length: 0'];
    case 'both':
      return [`content-length: ${bytes}`, chunkedBody];
    case 'not a number':
      return ['content-length: -1e9'];
  }
}

function chunked(body: Buffer): Buffer {
  const chunk = body.length === 0 ? [] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')];
  return Buffer.concat([...chunk, Buffer.from('0\r\n\r\n')]);
}

/** The time limit of a server, in milliseconds. */
const patienceMs = 10_000;

/**
 * Sends bytes over a new connection, and reads until the server ends it.
 *
 * @param isWhole whether the bytes are a request that needs an answer; if not, the client closes its side after them
 * @returns the received bytes, possibly none
 * @throws Error when a whole request gets no answer
 */
export function exchange(port: number, bytes: Buffer, isWhole: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes);
      if (!isWhole) socket.end();
    });
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer in time')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server may finish before the client does: the bytes so far are its answer.
      if (!isHangUp(error)) reject(error);
    });
    socket.on('close', () => {
      const answer = Buffer.concat(chunks).toString();
      if (isWhole && answer === '') reject(new Error('a whole request got no answer'));
      else resolve(answer);
    });
  });
}

function isHangUp({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** Reads the statuses of all received answers, in order. */
export function statusesOf(answer: string): number[] {
  return Array.from(answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm), ([, status]) => Number(status));
}
