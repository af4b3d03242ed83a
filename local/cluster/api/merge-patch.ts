import { isJsonObject, type Json } from './json.ts';

/**
 * Applies a JSON merge patch: objects are merged, null removes, all else replaces. The target is not changed.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */
export const applyMergePatch = (target: Json | undefined, patch: Json): Json => {
  if (!isJsonObject(patch)) {
    return patch;
  }
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      merged.delete(key);
    } else {
      merged.set(key, applyMergePatch(merged.get(key), value));
    }
  }
  return Object.fromEntries(merged);
};
