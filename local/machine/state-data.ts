import type { Task } from './definition.ts';

/** The input and output of a state. */
export type Data = Record<string, unknown>;

/** Applies a ResultSelector to a result; without one, returns the result itself. */
export function selected(result: Data, selector: Task['ResultSelector']): Data {
  if (selector === undefined) return result;
  return Object.fromEntries(
    selector.map((field) => [field.name, 'path' in field ? requiredAt(result, field.path) : field.constant]),
  );
}

/** Reads the value at a reference path; undefined when there is none. */
export function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const key of path) value = isData(value) ? value[key] : undefined;
  return value;
}

/** Refuses a path that is not in the data, as Step Functions does. */
export function requiredAt(data: unknown, path: readonly string[]): unknown {
  const value = valueAt(data, path);
  if (value === undefined) throw new Error(`States.ParameterPathFailure: $.${path.join('.')}`);
  return value;
}

/** Writes a value to a reference path, as a ResultPath does. */
export function withValueAt(data: Data, [key, ...rest]: readonly string[], value: unknown): Data {
  if (key === undefined) return isData(value) ? value : data;
  const inner = data[key];
  return { ...data, [key]: rest.length === 0 ? value : withValueAt(isData(inner) ? inner : {}, rest, value) };
}

/** Says whether a value is an object. */
export function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null;
}
