import type { IncomingMessage } from 'node:http';
import type { KubeObject } from '../cluster-store.ts';
import { required } from '../store/field-error.ts';
import { badRequest, failure, invalidObject } from '../store/status-error.ts';
import { isJsonObject, type Json, type JsonObject, withoutNulls } from './json.ts';
import { applyJsonPatch, JsonPatch, JsonPatchError } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { mediaTypeOf, parseJson, parseYaml, readBody } from './request-body.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

/** A parsed patch. */
export interface Patch {
  apply(object: KubeObject): JsonObject;
  /** The object to create if none exists. Only a server-side apply has one. */
  ifAbsent?: JsonObject;
}

const jsonPatchType = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategicMergePatch = 'application/strategic-merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

const purpose = 'error decoding patch';

function asObject(value: Json): JsonObject {
  if (!isJsonObject(value)) {
    throw badRequest(`${purpose}: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into an object`);
  }
  return value;
}

/** Converts a stored object to JSON. Nothing is lost, because it came as JSON. */
function toJson(object: KubeObject): Json {
  return JSON.parse(JSON.stringify(object)) as Json;
}

function unprocessable(): Error {
  return failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

function jsonPatch(text: string): Patch {
  const operations = JsonPatch.safeParse(parseJson(text, purpose));
  if (!operations.success) throw badRequest(`${purpose}: ${operations.error.issues[0]?.message ?? 'not a JSON patch'}`);
  return {
    apply: (object) => {
      try {
        return asObject(applyJsonPatch(toJson(object), operations.data));
      } catch (error) {
        // The real server does not name the failed operation either.
        throw error instanceof JsonPatchError ? unprocessable() : error;
      }
    },
  };
}

function serverSideApply(text: string, query: URLSearchParams): Patch {
  if ((query.get('fieldManager') ?? '') === '') {
    throw invalidObject('PatchOptions', '', [required('fieldManager', 'is required for apply patch')]);
  }
  const ifAbsent = asObject(parseYaml(text, purpose));
  return { apply: (object) => asObject(applyStrategicMergePatch(toJson(object), ifAbsent)), ifAbsent };
}

/**
 * Reads a request's patch, of any of the four media types.
 *
 * @throws StatusError BadRequest (400) or Invalid (422) for a malformed patch, UnsupportedMediaType (415).
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply
 */
export async function readPatch(request: IncomingMessage, query: URLSearchParams): Promise<Patch> {
  const mediaType = mediaTypeOf(request);
  const text = await readBody(request);
  switch (mediaType) {
    case jsonPatchType:
      return jsonPatch(text);
    case mergePatch: {
      const patch = asObject(parseJson(text, purpose));
      return { apply: (object) => asObject(applyMergePatch(toJson(object), patch)) };
    }
    case strategicMergePatch: {
      const patch = asObject(parseJson(text, purpose));
      return { apply: (object) => asObject(applyStrategicMergePatch(toJson(object), patch)) };
    }
    case applyPatch:
      return serverSideApply(text, query);
    default:
      // The real server's router refuses the request, so its message does not list the supported types.
      throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
}

/** Applies a patch and removes fields that it sets to null. */
export function patched(patch: Patch, object: KubeObject): JsonObject {
  const result = withoutNulls(patch.apply(object));
  return isJsonObject(result) ? result : {};
}
