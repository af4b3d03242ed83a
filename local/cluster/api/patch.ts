import type { IncomingMessage } from 'node:http';
import type { KubeObject } from '../cluster-store.ts';
import { required } from '../store/field-error.ts';
import { badRequest, failure, invalidObject } from '../store/status-error.ts';
import { isJsonObject, type Json, type JsonObject, withoutNulls } from './json.ts';
import { applyJsonPatch, JsonPatchError, jsonPatchSchema } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { mediaTypeOf, parseJson, parseYaml, readBody } from './request-body.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

/** What a patch makes of an object. */
export interface Patch {
  apply(object: KubeObject): JsonObject;
  /** The object to create if there is none; of a server-side apply only. */
  ifAbsent?: JsonObject;
}

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

const PURPOSE = 'error decoding patch';

const asObject = (value: Json): JsonObject => {
  if (!isJsonObject(value)) {
    throw badRequest(`${PURPOSE}: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into an object`);
  }
  return value;
};

/** A stored object as JSON; what is stored came as JSON, so nothing is lost. */
const toJson = (object: KubeObject): Json => JSON.parse(JSON.stringify(object)) as Json;

const unprocessable = (): Error =>
  failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

const jsonPatch = (text: string): Patch => {
  const operations = jsonPatchSchema.safeParse(parseJson(text, PURPOSE));
  if (!operations.success) {
    throw badRequest(`${PURPOSE}: ${operations.error.issues[0]?.message ?? 'not a JSON patch'}`);
  }
  return {
    apply: (object) => {
      try {
        return asObject(applyJsonPatch(toJson(object), operations.data));
      } catch (error) {
        // The real server, too, does not say which operation it was.
        throw error instanceof JsonPatchError ? unprocessable() : error;
      }
    },
  };
};

const serverSideApply = (text: string, query: URLSearchParams): Patch => {
  if ((query.get('fieldManager') ?? '') === '') {
    throw invalidObject('PatchOptions', '', [required('fieldManager', 'is required for apply patch')]);
  }
  const ifAbsent = asObject(parseYaml(text, PURPOSE));
  return { apply: (object) => asObject(applyStrategicMergePatch(toJson(object), ifAbsent)), ifAbsent };
};

/**
 * Reads a request's patch of any of the four kinds.
 *
 * @throws StatusError BadRequest (400), Invalid (422), UnsupportedMediaType (415).
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply
 */
export const readPatch = async (request: IncomingMessage, query: URLSearchParams): Promise<Patch> => {
  const mediaType = mediaTypeOf(request);
  const text = await readBody(request);
  switch (mediaType) {
    case JSON_PATCH:
      return jsonPatch(text);
    case MERGE_PATCH: {
      const patch = asObject(parseJson(text, PURPOSE));
      return { apply: (object) => asObject(applyMergePatch(toJson(object), patch)) };
    }
    case STRATEGIC_MERGE_PATCH: {
      const patch = asObject(parseJson(text, PURPOSE));
      return { apply: (object) => asObject(applyStrategicMergePatch(toJson(object), patch)) };
    }
    case APPLY_PATCH:
      return serverSideApply(text, query);
    default:
      // The router refuses it, before there is anybody to say what would be taken.
      throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
};

/** The patched object without what the patch set to null. */
export const patched = (patch: Patch, object: KubeObject): JsonObject => {
  const result = withoutNulls(patch.apply(object));
  return isJsonObject(result) ? result : {};
};
