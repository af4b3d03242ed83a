import * as z from 'zod';
import { sameValue } from '../store/json-value.ts';
import { isJsonObject, type Json } from './json.ts';

const pointerSchema = z.string().regex(/^(?:\/(?:[^~]|~[01])*)?$/, 'not a JSON pointer');
const valueSchema = z.json();

const operationSchema = z.discriminatedUnion('op', [
  z.object({ op: z.literal('add'), path: pointerSchema, value: valueSchema }),
  z.object({ op: z.literal('remove'), path: pointerSchema }),
  z.object({ op: z.literal('replace'), path: pointerSchema, value: valueSchema }),
  z.object({ op: z.literal('move'), path: pointerSchema, from: pointerSchema }),
  z.object({ op: z.literal('copy'), path: pointerSchema, from: pointerSchema }),
  z.object({ op: z.literal('test'), path: pointerSchema, value: valueSchema }),
]);

/** A JSON patch: what to do, in order. @see https://www.rfc-editor.org/rfc/rfc6902 */
export const jsonPatchSchema = z.array(operationSchema);

/** @see jsonPatchSchema */
export type JsonPatch = z.infer<typeof jsonPatchSchema>;

type Operation = JsonPatch[number];

/** A patch that does not fit the document: nothing of it is applied. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}

const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

const indexIn = (array: readonly Json[], token: string, most: number): number => {
  const index = /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : Number.NaN;
  if (!(index <= most)) {
    throw new JsonPatchError(`index ${token} is out of bounds of an array of ${array.length}`);
  }
  return index;
};

const childOf = (parent: Json, token: string): Json => {
  const child = Array.isArray(parent)
    ? parent[indexIn(parent, token, parent.length - 1)]
    : isJsonObject(parent) && Object.hasOwn(parent, token)
      ? parent[token]
      : undefined;
  if (child === undefined) {
    throw new JsonPatchError(`there is no value at "${token}"`);
  }
  return child;
};

const valueAt = (document: Json, tokens: readonly string[]): Json => tokens.reduce(childOf, document);

/** The document with its value at `tokens` made anew by `change`, which gets the parent and the last token. */
const changeAt = (
  document: Json,
  [token, ...rest]: readonly string[],
  change: (parent: Json, token: string) => Json,
): Json => {
  if (token === undefined) {
    throw new JsonPatchError('the whole document cannot be removed');
  }
  if (rest.length === 0) {
    return change(document, token);
  }
  const child = changeAt(childOf(document, token), rest, change);
  return Array.isArray(document)
    ? document.with(Number(token), child)
    : // A child was found, so the document is an object.
      { ...(isJsonObject(document) ? document : {}), [token]: child };
};

const added =
  (value: Json) =>
  (parent: Json, token: string): Json => {
    if (Array.isArray(parent)) {
      return parent.toSpliced(token === '-' ? parent.length : indexIn(parent, token, parent.length), 0, value);
    }
    if (!isJsonObject(parent)) {
      throw new JsonPatchError(`the value above "${token}" is neither an object nor an array`);
    }
    return { ...parent, [token]: value };
  };

const removed = (parent: Json, token: string): Json => {
  childOf(parent, token);
  if (Array.isArray(parent)) {
    return parent.toSpliced(Number(token), 1);
  }
  return Object.fromEntries(Object.entries(isJsonObject(parent) ? parent : {}).filter(([key]) => key !== token));
};

const add = (document: Json, pointer: string, value: Json): Json =>
  pointer === '' ? value : changeAt(document, tokensOf(pointer), added(value));

const remove = (document: Json, pointer: string): Json => changeAt(document, tokensOf(pointer), removed);

const apply = (document: Json, operation: Operation): Json => {
  switch (operation.op) {
    case 'add':
      return add(document, operation.path, operation.value);
    case 'remove':
      return remove(document, operation.path);
    case 'replace':
      return operation.path === ''
        ? operation.value
        : add(remove(document, operation.path), operation.path, operation.value);
    case 'move': {
      if (operation.path.startsWith(`${operation.from}/`)) {
        throw new JsonPatchError(`"${operation.from}" cannot be moved into itself`);
      }
      const value = valueAt(document, tokensOf(operation.from));
      return operation.from === operation.path
        ? document
        : add(remove(document, operation.from), operation.path, value);
    }
    case 'copy':
      return add(document, operation.path, valueAt(document, tokensOf(operation.from)));
    case 'test':
      if (!sameValue(valueAt(document, tokensOf(operation.path)), operation.value)) {
        throw new JsonPatchError(`testing value ${operation.path} failed`);
      }
      return document;
  }
};

/**
 * Applies a JSON patch; the document itself is not changed.
 *
 * @throws JsonPatchError if an operation does not fit or a test fails.
 */
export const applyJsonPatch = (document: Json, patch: JsonPatch): Json => patch.reduce(apply, document);
