import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** By which field the elements of a list are told apart, for the lists of the kinds that the sandbox keeps. */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
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
  // A container's ports go by containerPort, a Service's by port.
  ports: ['containerPort', 'port'],
};

/** Lists of words that are merged rather than replaced. */
const MERGED_WORDS: ReadonlySet<string> = new Set(['finalizers']);

const DELETE_WORDS = '$deleteFromPrimitiveList/';

const mergeKeyOf = (field: string, elements: readonly Json[]): string | undefined =>
  MERGE_KEYS[field]?.find((key) =>
    elements.every((element) => isJsonObject(element) && (key in element || '$patch' in element)),
  );

const mergeElements = (target: readonly Json[], patch: readonly Json[], mergeKey: string): Json[] => {
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
};

const mergeField = (field: string, target: Json | undefined, patch: Json): Json => {
  if (!Array.isArray(patch)) {
    return applyStrategicMergePatch(target, patch);
  }
  const present = Array.isArray(target) ? target : [];
  if (MERGED_WORDS.has(field)) {
    return [...new Set([...present, ...patch])];
  }
  const mergeKey = mergeKeyOf(field, [...present, ...patch]);
  return mergeKey === undefined ? patch : mergeElements(present, patch, mergeKey);
};

const startingPoint = (target: Json | undefined, patch: JsonObject): Map<string, Json> => {
  const present = isJsonObject(target) && patch['$patch'] !== 'replace' ? Object.entries(target) : [];
  const kept = patch['$retainKeys'];
  return new Map(Array.isArray(kept) ? present.filter(([key]) => kept.includes(key)) : present);
};

/**
 * Applies a strategic merge patch: as a JSON merge patch, but lists whose elements have keys are merged by them.
 *
 * `$patch`, `$retainKeys` and `$deleteFromPrimitiveList` are followed; `$setElementOrder` is not: the order stays.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
export const applyStrategicMergePatch = (target: Json | undefined, patch: Json): Json => {
  if (!isJsonObject(patch)) {
    return patch;
  }
  const merged = startingPoint(target, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_WORDS) && Array.isArray(value)) {
      const field = key.slice(DELETE_WORDS.length);
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
};
