/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  [field: string]: Json;
}

/** Whether a value is an object, rather than an array or null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value without what is null: Go reads null as absent. */
export const withoutNulls = (value: Json): Json => {
  if (Array.isArray(value)) {
    return value.map(withoutNulls);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== null)
      .map(([key, part]) => [key, withoutNulls(part)]),
  );
};
