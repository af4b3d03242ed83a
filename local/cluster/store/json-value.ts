const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whether two values of JSON say the same, in whatever order their members are. */
export const sameValue = (one: unknown, other: unknown): boolean => {
  if (!isRecord(one) || !isRecord(other)) {
    return one === other;
  }
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameValue(one[key], other[key]))
  );
};

const copyUnknown = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    return value.map(copyUnknown);
  }
  if (!isRecord(value)) {
    return value;
  }
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    copy[key] = copyUnknown(value[key]);
  }
  return copy;
};

/** A copy of a value of JSON, far cheaper than structuredClone: every read of the store makes one. */
export const copyValue = <Value>(value: Value): Value => copyUnknown(value) as Value;
