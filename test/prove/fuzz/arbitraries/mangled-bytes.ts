import * as fc from 'fast-check';
import { weighted } from './weighted.ts';

/** More than the functions read of a body: 1 MiB and a few bytes. */
const tooLarge = Buffer.alloc(1024 * 1024 + 9, 0x20);

type Mangling = (bytes: Buffer) => Buffer;

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const fewBytes = fc.uint8Array({ maxLength: 12 });

const anyMangling: fc.Arbitrary<Mangling> = weighted(
  [240, fc.constant<Mangling>((bytes) => bytes)],
  [20, fraction.map(cut)],
  [40, fc.tuple(fraction, fewBytes).map(([at, inserted]) => spliced(at, inserted))],
  [8, fc.uint8Array({ maxLength: 200 }).map(replaced)],
  [4, fc.constantFrom(...reencodings())],
  [1, fc.constant<Mangling>((bytes) => Buffer.concat([bytes, tooLarge]))],
);

/** Turns texts into bytes. Most stay unchanged; others are cut, overwritten, re-encoded, or replaced. */
export function mangledBytes(texts: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.tuple(texts, anyMangling).map(([text, mangle]) => mangle(Buffer.from(text)));
}

function cut(keep: number): Mangling {
  return (bytes) => bytes.subarray(0, keep * bytes.length);
}

function replaced(random: Uint8Array): Mangling {
  return () => Buffer.from(random);
}

/** Overwrites some bytes: the middle of a character, a quote, a bracket. */
function spliced(at: number, inserted: Uint8Array): Mangling {
  return (bytes) => {
    const start = Math.floor(at * bytes.length);
    return Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(start + inserted.length)]);
  };
}

function reencodings(): Mangling[] {
  return [
    () => Buffer.alloc(0),
    (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    (bytes) => Buffer.from(bytes.toString(), 'utf16le'),
    (bytes) => Buffer.from(bytes.toString(), 'latin1'),
    (bytes) => Buffer.concat([bytes, bytes]),
    (bytes) => Buffer.concat([bytes, Buffer.from('\0')]),
    (bytes) => Buffer.concat([Buffer.from([0xc0, 0x80, 0xed, 0xa0, 0x80]), bytes]),
  ];
}
