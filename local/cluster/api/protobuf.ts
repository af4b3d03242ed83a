import { badRequest } from '../store/status-error.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** What a field of a message is: its name in JSON, and how its bytes are read. */
export interface FieldShape {
  name: string;
  read: (field: RawField) => Json;
  /** Whether it may be there several times: as the elements of a list, or the entries of a map. */
  gathers?: 'list' | 'map';
}

/** The fields of a message by their numbers; those that are not named are left out. */
export type MessageShape = Readonly<Record<number, FieldShape>>;

/** A field as it is on the wire: a number, or bytes. */
export interface RawField {
  number: number;
  integer: bigint;
  bytes: Buffer;
}

const WIRE_VARINT = 0;
const WIRE_BYTES = 2;

const readVarint = (buffer: Buffer, start: number): { integer: bigint; next: number } => {
  let integer = 0n;
  let at = start;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = buffer[at];
    if (byte === undefined) {
      break;
    }
    integer |= BigInt(byte & 0x7f) << shift;
    at += 1;
    if (byte < 0x80) {
      return { integer, next: at };
    }
  }
  throw badRequest('proto: unexpected EOF');
};

/** Splits a message into its fields. Kubernetes' own messages hold numbers and byte strings only. */
const fieldsOf = (message: Buffer): RawField[] => {
  const fields: RawField[] = [];
  for (let at = 0; at < message.length; ) {
    const key = readVarint(message, at);
    const { integer, next } = readVarint(message, key.next);
    const number = Number(key.integer >> 3n);
    const wireType = Number(key.integer & 7n);
    const end = wireType === WIRE_BYTES ? next + Number(integer) : next;
    if ((wireType !== WIRE_BYTES && wireType !== WIRE_VARINT) || end > message.length) {
      throw badRequest(`proto: illegal wireType ${wireType} or length`);
    }
    fields.push({ number, integer, bytes: message.subarray(next, end) });
    at = end;
  }
  return fields;
};

const gathered = (shape: FieldShape, present: Json | undefined, value: Json): Json => {
  if (shape.gathers === 'list') {
    return [...(Array.isArray(present) ? present : []), value];
  }
  return shape.gathers === 'map' && isJsonObject(present) && isJsonObject(value) ? { ...present, ...value } : value;
};

/**
 * Reads a message as the object that it would be in JSON. Empty strings are left out: Go writes them for what is not
 * there.
 *
 * @throws StatusError BadRequest (400) if the bytes are no message.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export const readMessage = (shape: MessageShape, message: Buffer): JsonObject => {
  const object: JsonObject = {};
  for (const field of fieldsOf(message)) {
    const fieldShape = shape[field.number];
    const value = fieldShape?.read(field) ?? '';
    if (fieldShape !== undefined && value !== '') {
      object[fieldShape.name] = gathered(fieldShape, object[fieldShape.name], value);
    }
  }
  return object;
};

/** A field that is text. */
export const text = (name: string): FieldShape => ({ name, read: ({ bytes }) => bytes.toString('utf8') });

/** A field that is a whole number. */
export const integer = (name: string): FieldShape => ({
  name,
  read: (field) => Number(BigInt.asIntN(64, field.integer)),
});

/** A field that says yes or no. */
export const flag = (name: string): FieldShape => ({ name, read: (field) => field.integer !== 0n });

/** A field that is a message. */
export const message = (name: string, shape: MessageShape): FieldShape => ({
  name,
  read: ({ bytes }) => readMessage(shape, bytes),
});

/** A field of which there may be several. */
export const listOf = (element: FieldShape): FieldShape => ({ ...element, gathers: 'list' });

const ENTRY: MessageShape = { 1: text('key'), 2: text('value') };

/** A field that maps text to text. */
export const textMap = (name: string): FieldShape => ({
  name,
  gathers: 'map',
  read: ({ bytes }) => {
    const { key, value = '' } = readMessage(ENTRY, bytes);
    return { [typeof key === 'string' ? key : '']: value };
  },
});

const INT_OR_STRING: MessageShape = { 1: integer('type'), 2: integer('number'), 3: text('text') };

/** A field that is a number or a name, as a Service's targetPort. */
export const intOrString = (name: string): FieldShape => ({
  name,
  read: ({ bytes }) => {
    const value = readMessage(INT_OR_STRING, bytes);
    // Go writes the number zero for what is not there.
    return value['type'] === 1 ? (value['text'] ?? '') : value['number'] || '';
  },
});
