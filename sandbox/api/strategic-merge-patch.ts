import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** The fields that identify the elements of a list, for lists in the sandbox's kinds. */
const mergeKeys: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  env: ['name'],
  volumes: ['name'],
  imagePullSecrets: ['name'],
  secrets: ['name'],
  volumeMounts: ['mountPath'],
  conditions: ['type'],
  addresses: ['type'],
  taints: ['key'],
  hostAliases: ['ip'],
  podIPs: ['ip'],
  ownerReferences: ['uid'],
  // containerPort identifies a container's ports, port identifies a Service's.
  ports: ['containerPort', 'port'],
};

/** The lists of strings that a patch merges instead of replacing. */
const mergedWords: ReadonlySet<string> = new Set(['finalizers']);

const deleteWords = '$deleteFromPrimitiveList/';

function mergeKeyOf(field: string, elements: readonly Json[]): string | undefined {
  return mergeKeys[field]?.find((key) =>
    elements.every((element) => isJsonObject(element) && (key in element || '$patch' in element)),
  );
}

function mergeElements(target: readonly Json[], patch: readonly Json[], mergeKey: string): Json[] {
  const sameAs = (element: Json) => (other: Json) =>
    isJsonObject(element) && isJsonObject(other) && element[mergeKey] === other[mergeKey];
  let merged = patch.some((element) => isJsonObject(element) && element['$patch'] === 'replace') ? [] : [...target];
  for (const element of patch) {
    const directive = isJsonObject(element) ? element['$patch'] : undefined;
    const index = merged.findIndex(sameAs(element));
    if (directive === 'delete') {
      merged = merged.filter((other) => !sameAs(element)(other));
    } else if (directive !== 'replace') {
      const value = applyStrategicMergePatch(merged[index], element);
      merged = index === -1 ? [...merged, value] : merged.with(index, value);
    }
  }
  return merged;
}

function mergeField(field: string, target: Json | undefined, patch: Json): Json {
  if (!Array.isArray(patch)) return applyStrategicMergePatch(target, patch);
  const present = Array.isArray(target) ? target : [];
  if (mergedWords.has(field)) return [...new Set([...present, ...patch])];
  const mergeKey = mergeKeyOf(field, [...present, ...patch]);
  return mergeKey === undefined ? patch : mergeElements(present, patch, mergeKey);
}

function startingPoint(target: Json | undefined, patch: JsonObject): Map<string, Json> {
  const present = isJsonObject(target) && patch['$patch'] !== 'replace' ? Object.entries(target) : [];
  const kept = patch['$retainKeys'];
  return new Map(Array.isArray(kept) ? present.filter(([key]) => kept.includes(key)) : present);
}

/**
 * Applies a strategic merge patch. It works like a JSON Merge Patch, but merges lists whose elements have keys.
 *
 * Supports `$patch`, `$retainKeys` and `$deleteFromPrimitiveList`. Ignores `$setElementOrder`, so the order stays.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export function applyStrategicMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = startingPoint(target, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(deleteWords) && Array.isArray(value)) {
      const field = key.slice(deleteWords.length);
      const words = merged.get(field);
      merged.set(field, Array.isArray(words) ? words.filter((word) => !value.includes(word)) : []);
    } else if (key.startsWith('$')) {
      continue;
    } else if (value === null) {
      merged.delete(key);
    } else {
      merged.set(key, mergeField(key, merged.get(key), value));
    }
  }
  return Object.fromEntries(merged);
}
