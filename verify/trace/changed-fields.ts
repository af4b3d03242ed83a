import { isDeepStrictEqual } from 'node:util';

/** Finds the fields that differ between two states of a record. */
export function changedFields<Fields extends object>(before: Fields, after: Fields): (keyof Fields)[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Fields)[]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
