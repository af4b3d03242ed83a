import * as fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };
const lastCodePoint = 0x10ffff;

/**
 * Any code point but a surrogate, as the unit of a string. It generates what fast-check's own `unit: 'binary'` does, which
 * makes a map of all 1.1 million before it can shrink.
 */
export const anyCodePoint = fc.nat({ max: lastCodePoint - surrogates.count }).map(textOf, indexOf);

function textOf(index: number): string {
  return String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count);
}

/** @throws Error for what is not one code point: fast-check then knows that it did not come from here */
function indexOf(text: unknown): number {
  const codePoint = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (codePoint === undefined || text !== String.fromCodePoint(codePoint)) throw new Error('not one code point');
  return codePoint < surrogates.first ? codePoint : codePoint - surrogates.count;
}
