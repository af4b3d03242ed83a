/** Whether a JSON value has members or items. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function copyUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyUnknown);
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key in value) copy[key] = copyUnknown(value[key]);
  return copy;
}

/** Copies a JSON value. Every read of the store makes a copy, and this is far cheaper than structuredClone. */
export function copyValue<Value>(value: Value): Value {
  return copyUnknown(value) as Value;
}
