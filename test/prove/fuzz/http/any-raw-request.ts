import * as fc from 'fast-check';
import { weighted } from '../arbitraries/weighted.ts';
import { anyConnecting, type Connecting, requestOfConnecting } from '../doors/connect-requests.ts';
import { anyLaunchesRequest } from '../doors/launches-requests.ts';
import { anyDelivery, type Delivery, requestOfDelivery } from '../doors/webhook-requests.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import { type Framing, requestBytes } from './raw-http.ts';

/** The signing keys of inputs. */
export interface Keys {
  webhook: string;
  credential: string;
}

/** A request to one of the HTTP doors, before its signature. */
type Unsigned =
  | { door: 'webhook'; delivery: Delivery }
  | { door: 'connect'; agent: Connecting }
  | { door: 'launches'; request: FuzzRequest };

/** Overwrites bytes: at a fraction of the whole length, with these bytes. */
type Overwrite = readonly [at: number, bytes: Uint8Array];

/** A request as bytes, possibly with some of them overwritten; or bytes that were never HTTP. */
export type RawRequest =
  | { kind: 'request'; unsigned: Unsigned; framing: Framing; overwrites: Overwrite[] }
  | { kind: 'noise'; bytes: Buffer };

/** Makes the bytes to send. @param keys the keys of the davit that receives them */
export function bytesOf(raw: RawRequest, keys: Keys): Buffer {
  if (raw.kind === 'noise') return raw.bytes;
  const whole = requestBytes(requestOf(raw.unsigned, keys), raw.framing);
  return raw.overwrites.reduce((bytes, [at, few]) => overwritten(bytes, at, few), whole);
}

/** Whether HTTP's own rules require an answer. */
export function isWhole(raw: RawRequest, keys: Keys): boolean {
  if (raw.kind === 'noise' || raw.overwrites.length > 0) return false;
  const { method, headers } = requestOf(raw.unsigned, keys);
  const isFramed = raw.framing === 'length' || raw.framing === 'chunked';
  return isFramed && /^[A-Z]+$/.test(method) && headers.every(([, value]) => !/[^\t\x20-\x7e\x80-\uffff]/.test(value));
}

function requestOf(unsigned: Unsigned, keys: Keys): FuzzRequest {
  switch (unsigned.door) {
    case 'webhook':
      return requestOfDelivery(unsigned.delivery, keys.webhook);
    case 'connect':
      return requestOfConnecting(unsigned.agent, keys.credential);
    case 'launches':
      return unsigned.request;
  }
}

const anyUnsigned: fc.Arbitrary<Unsigned> = weighted(
  [3, fc.record({ door: fc.constant('webhook'), delivery: anyDelivery })],
  [2, fc.record({ door: fc.constant('connect'), agent: anyConnecting })],
  [3, fc.record({ door: fc.constant('launches'), request: anyLaunchesRequest })],
);

const anyFraming = weighted(
  [9, fc.constantFrom<Framing[]>('length', 'chunked')],
  [2, fc.constantFrom<Framing[]>('none', 'too short', 'too long', 'doubled', 'both', 'not a number')],
);

/** In the request line, in the headers, in a chunk's length, in the body. */
const anyOverwrite = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.uint8Array({ maxLength: 6 }));

const texts = ['GET', 'GET /\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02', '\r\n\r\n\r\n'];
const targets = ['/', '//', '*', '/%', '/%00', '/%ff', '/launches/..%2f', 'http://x/launches', '/?%'];

const anyNoise = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(...texts).map((text) => Buffer.from(text)),
  fc
    .tuple(fc.constantFrom(...targets), fc.constantFrom('GET', 'POST', 'BREW'))
    .map(([target, method]) => Buffer.from(`${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)),
  fc.nat(20_000).map((length) => Buffer.from(`GET / HTTP/1.1\r\nx: ${'y'.repeat(length)}\r\n\r\n`)),
);

/** Any request as bytes, whole or not. */
export const anyRawRequest: fc.Arbitrary<RawRequest> = weighted(
  [
    10,
    fc.record({
      kind: fc.constant('request'),
      unsigned: anyUnsigned,
      framing: anyFraming,
      overwrites: weighted([4, fc.constant<Overwrite[]>([])], [1, fc.array(anyOverwrite, { maxLength: 4 })]),
    }),
  ],
  [1, fc.record({ kind: fc.constant('noise'), bytes: anyNoise })],
);

function overwritten(bytes: Buffer, at: number, few: Uint8Array): Buffer {
  const start = Math.floor(at * bytes.length);
  return Buffer.concat([bytes.subarray(0, start), few, bytes.subarray(start + few.length)]);
}
