import { badRequest } from '../store/status-error.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** The shape of a message's field: its name in JSON, and a function that reads its value. */
export interface FieldShape {
  name: string;
  read: (field: RawField) => Json;
  /** Whether the field can repeat: as the elements of a list, or the entries of a map. */
  gathers?: 'list' | 'map';
}

/** The fields of a message by number. The reader skips all others. */
export type MessageShape = Readonly<Record<number, FieldShape>>;

/** A field on the wire: a number, or bytes. */
export interface RawField {
  number: number;
  integer: bigint;
  bytes: Buffer;
}

const wireVarint = 0;
const wireBytes = 2;

function readVarint(buffer: Buffer, start: number): { varint: bigint; next: number } {
  let varint = 0n;
  let at = start;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = buffer[at];
    if (byte === undefined) break;
    varint |= BigInt(byte & 0x7f) << shift;
    at += 1;
    if (byte < 0x80) return { varint, next: at };
  }
  throw badRequest('proto: unexpected EOF');
}

/** Splits a message into its fields. Kubernetes' messages contain only numbers and byte strings. */
function fieldsOf(buffer: Buffer): RawField[] {
  const fields: RawField[] = [];
  for (let at = 0; at < buffer.length; ) {
    const key = readVarint(buffer, at);
    const { varint, next } = readVarint(buffer, key.next);
    const number = Number(key.varint >> 3n);
    const wireType = Number(key.varint & 7n);
    const end = wireType === wireBytes ? next + Number(varint) : next;
    if ((wireType !== wireBytes && wireType !== wireVarint) || end > buffer.length) {
      throw badRequest(`proto: illegal wireType ${wireType} or length`);
    }
    fields.push({ number, integer: varint, bytes: buffer.subarray(next, end) });
    at = end;
  }
  return fields;
}

function gathered(shape: FieldShape, present: Json | undefined, value: Json): Json {
  if (shape.gathers === 'list') return [...(Array.isArray(present) ? present : []), value];
  return shape.gathers === 'map' && isJsonObject(present) && isJsonObject(value) ? { ...present, ...value } : value;
}

/**
 * Reads a message as the object that it would be in JSON. Omits empty strings, because Go writes them for absent
 * fields.
 *
 * @throws StatusError BadRequest (400) if the bytes are not a message.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export function readMessage(shape: MessageShape, buffer: Buffer): JsonObject {
  const object: JsonObject = {};
  for (const field of fieldsOf(buffer)) {
    const fieldShape = shape[field.number];
    const value = fieldShape?.read(field) ?? '';
    if (fieldShape !== undefined && value !== '') {
      object[fieldShape.name] = gathered(fieldShape, object[fieldShape.name], value);
    }
  }
  return object;
}

/** A text field. */
export function text(name: string): FieldShape {
  return { name, read: ({ bytes }) => bytes.toString('utf8') };
}

/** An integer field. */
export function integer(name: string): FieldShape {
  return { name, read: (field) => Number(BigInt.asIntN(64, field.integer)) };
}

/** A boolean field. */
export function flag(name: string): FieldShape {
  return { name, read: (field) => field.integer !== 0n };
}

/** A field with a nested message. */
export function message(name: string, shape: MessageShape): FieldShape {
  return { name, read: ({ bytes }) => readMessage(shape, bytes) };
}

/** A repeated field. */
export function listOf(element: FieldShape): FieldShape {
  return { ...element, gathers: 'list' };
}

const entry: MessageShape = { 1: text('key'), 2: text('value') };

/** A map from text to text. */
export function textMap(name: string): FieldShape {
  return {
    name,
    gathers: 'map',
    read: ({ bytes }) => {
      const { key, value = '' } = readMessage(entry, bytes);
      return { [typeof key === 'string' ? key : '']: value };
    },
  };
}

const intOrStringShape: MessageShape = { 1: integer('type'), 2: integer('number'), 3: text('text') };

/** A number or a name, such as a Service's targetPort. */
export function intOrString(name: string): FieldShape {
  return {
    name,
    read: ({ bytes }) => {
      const value = readMessage(intOrStringShape, bytes);
      // Go writes zero for an absent field.
      return value['type'] === 1 ? (value['text'] ?? '') : value['number'] || '';
    },
  };
}
