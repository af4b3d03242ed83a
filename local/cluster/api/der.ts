/**
 * The few parts of ASN.1's DER that a certificate is written in: each function gives one encoded value.
 *
 * @see https://letsencrypt.org/docs/a-warm-welcome-to-asn1-and-der/
 */

const lengthBytes = (length: number): Buffer => {
  if (length < 0x80) {
    return Buffer.from([length]);
  }
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
};

const value = (tag: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag]), lengthBytes(content.length), content]);

/** A SEQUENCE of values. */
export const sequence = (...values: Buffer[]): Buffer => value(0x30, Buffer.concat(values));

/** A SET of one value. */
export const setOf = (only: Buffer): Buffer => value(0x31, only);

/** An INTEGER from 0 to 127. */
export const smallInteger = (number: number): Buffer => value(0x02, Buffer.from([number]));

/** The BOOLEAN that is true. */
export const TRUE = value(0x01, Buffer.from([0xff]));

/** A UTF8String. */
export const utf8 = (text: string): Buffer => value(0x0c, Buffer.from(text));

/** A UTCTime; for the years up to 2049. */
export const utcTime = (epochMs: number): Buffer => {
  const digits = new Date(epochMs).toISOString().replaceAll(/\D/g, '');
  return value(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
};

/** An OCTET STRING. */
export const octets = (content: Buffer): Buffer => value(0x04, content);

/** A BIT STRING of whole bytes, but for the last `unusedBits` bits. */
export const bits = (content: Buffer, unusedBits = 0): Buffer =>
  value(0x03, Buffer.concat([Buffer.from([unusedBits]), content]));

/** A value with a tag of its context: `content` is what is inside, already encoded if `isConstructed`. */
export const tagged = (tag: number, content: Buffer, isConstructed = true): Buffer =>
  value((isConstructed ? 0xa0 : 0x80) | tag, content);

const base128 = (number: number): number[] => {
  const rest = Math.floor(number / 128);
  return rest === 0 ? [number % 128] : [...base128(rest).map((byte) => byte | 0x80), number % 128];
};

/** An OBJECT IDENTIFIER, written with dots. */
export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
};
