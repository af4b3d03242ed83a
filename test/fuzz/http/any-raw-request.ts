import * as fc from 'fast-check';
import { anyConnecting, requestOfConnecting } from '../doors/connect-requests.ts';
import { anyLaunchesRequest } from '../doors/launches-requests.ts';
import { anyDelivery, requestOfDelivery } from '../doors/webhook-requests.ts';
import type { FuzzRequest } from './fuzz-request.ts';
import { type Framing, requestBytes } from './raw-http.ts';

/** The keys by which inputs sign. */
export interface Keys {
  webhook: string;
  credential: string;
}

/** A request over a socket: its bytes depend on the keys of the davit that it goes to. */
export interface RawRequest {
  bytes: (keys: Keys) => Buffer;
  /** Whether an answer has to come. */
  isWhole: (keys: Keys) => boolean;
}

type Recipe = (keys: Keys) => FuzzRequest;

const anyRecipe: fc.Arbitrary<Recipe> = fc.oneof(
  {
    weight: 3,
    arbitrary: anyDelivery.map(
      (delivery): Recipe =>
        (keys) =>
          requestOfDelivery(delivery, keys.webhook),
    ),
  },
  {
    weight: 2,
    arbitrary: anyConnecting.map(
      (agent): Recipe =>
        (keys) =>
          requestOfConnecting(agent, keys.credential),
    ),
  },
  {
    weight: 3,
    arbitrary: anyLaunchesRequest.map(
      (request): Recipe =>
        () =>
          request,
    ),
  },
);

const anyFraming = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom<Framing[]>('length', 'chunked') },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Framing[]>('none', 'too short', 'too long', 'doubled', 'both', 'not a number'),
  },
);

const anyFramed: fc.Arbitrary<RawRequest> = fc.tuple(anyRecipe, anyFraming).map(([recipe, framing]) => ({
  bytes: (keys) => requestBytes(recipe(keys), framing),
  isWhole: (keys) => (framing === 'length' || framing === 'chunked') && isPlain(recipe(keys)),
}));

/** Bytes over others: in the request line, in the headers, in a chunk's length. */
const anyBroken: fc.Arbitrary<RawRequest> = fc
  .tuple(anyFramed, fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.uint8Array({ maxLength: 6 }))))
  .map(([{ bytes }, changes]) => ({
    bytes: (keys) => changes.reduce((all, [at, few]) => overwritten(all, at, few), bytes(keys)),
    isWhole: () => false,
  }));

const anyNoise: fc.Arbitrary<RawRequest> = fc
  .oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .constantFrom('GET', 'GET /\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02', '\r\n\r\n\r\n')
      .map((text) => Buffer.from(text)),
    fc
      .tuple(
        fc.constantFrom('/', '//', '*', '/%', '/%00', '/%ff', '/launches/..%2f', 'http://x/launches', '/?%'),
        fc.constantFrom('GET', 'POST', 'BREW'),
      )
      .map(([target, method]) => Buffer.from(`${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)),
    fc.nat(20_000).map((length) => Buffer.from(`GET / HTTP/1.1\r\nx: ${'y'.repeat(length)}\r\n\r\n`)),
  )
  .map((bytes) => ({ bytes: () => Buffer.from(bytes), isWhole: () => false }));

/** Any request over a socket, whole or not. */
export const anyRawRequest: fc.Arbitrary<RawRequest> = fc.oneof(
  { weight: 8, arbitrary: anyFramed },
  { weight: 2, arbitrary: anyBroken },
  { weight: 1, arbitrary: anyNoise },
);

function overwritten(bytes: Buffer, at: number, few: Uint8Array): Buffer {
  const start = Math.floor(at * bytes.length);
  return Buffer.concat([bytes.subarray(0, start), few, bytes.subarray(start + few.length)]);
}

/** Says whether a request is one by HTTP's own rules. */
function isPlain({ method, headers }: FuzzRequest): boolean {
  return /^[A-Z]+$/.test(method) && headers.every(([, value]) => !/[^\t\x20-\x7e\x80-\uffff]/.test(value));
}
