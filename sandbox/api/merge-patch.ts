import { isJsonObject, type Json } from './json.ts';

/**
 * Applies a JSON Merge Patch: it merges objects, removes fields that are null and replaces everything else.
 * Does not change the target.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      merged.delete(key);
    } else {
      merged.set(key, applyMergePatch(merged.get(key), value));
    }
  }
  return Object.fromEntries(merged);
}
