import { applyPatch, type Operation } from 'rfc6902';
import * as z from 'zod';
import type { Json } from './json.ts';

const Pointer = z.string().regex(/^(?:\/(?:[^~]|~[01])*)?$/, 'not a JSON pointer');
const JsonValue = z.json();

const Operation = z.discriminatedUnion('op', [
  z.object({ op: z.literal('add'), path: Pointer, value: JsonValue }),
  z.object({ op: z.literal('remove'), path: Pointer }),
  z.object({ op: z.literal('replace'), path: Pointer, value: JsonValue }),
  z.object({ op: z.literal('move'), path: Pointer, from: Pointer }),
  z.object({ op: z.literal('copy'), path: Pointer, from: Pointer }),
  z.object({ op: z.literal('test'), path: Pointer, value: JsonValue }),
]);

/** A JSON Patch: a list of operations. @see https://www.rfc-editor.org/rfc/rfc6902 */
export const JsonPatch = z.array(Operation);

/** @see JsonPatch */
export type JsonPatch = z.infer<typeof JsonPatch>;

/** A patch does not fit the document. The server applies none of its operations. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}

/**
 * Applies a JSON Patch to a copy of a document.
 *
 * @throws JsonPatchError if an operation does not fit or a test fails.
 */
export function applyJsonPatch(document: Json, patch: JsonPatch): Json {
  // The library can only change members of an object. A path can name the whole document, so this makes it a member.
  const holder: { document: Json } = { document: JSON.parse(JSON.stringify(document)) };
  for (const operation of patch) {
    const [error] = applyPatch(holder, [operationOf(operation)]);
    if (error) throw new JsonPatchError(error.message, { cause: error });
  }
  return holder.document;
}

/** Moves an operation's paths below the holder's member `document`. */
function operationOf(operation: JsonPatch[number]): Operation {
  const path = `/document${operation.path}`;
  return 'from' in operation ? { ...operation, path, from: `/document${operation.from}` } : { ...operation, path };
}
