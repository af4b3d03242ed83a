import * as fc from 'fast-check';
import type { JsonValue } from '../../../../local/json-value.ts';
import { odd, rawJson } from './odd-json.ts';
import { weighted } from './weighted.ts';

type Path = readonly (string | number)[];
type Change =
  | { how: 'set'; value: JsonValue }
  | { how: 'drop' }
  | { how: 'rename'; key: string }
  | { how: 'add'; key: string; value: JsonValue }
  | { how: 'wrap' };

/** Makes near-misses of a value, with up to three changes at any places. */
export function mutatedJson(base: JsonValue): fc.Arbitrary<JsonValue> {
  const mutation = fc.record({ at: fc.constantFrom(...placesOf(base)), change: anyChange });
  return fc
    .array(mutation, { maxLength: 3 })
    .map((all) => all.reduce((value, m) => changed(value, m.at, m.change), base));
}

/** Writes a value as JSON, and inserts JSON that no value produces (`1e999`, ten thousand brackets). */
export function jsonText(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(/"raw json ([^"]*)"/g, (_, name: string) => rawJson[name] ?? 'null');
}

const anyChange: fc.Arbitrary<Change> = weighted(
  [6, fc.record({ how: fc.constant('set'), value: odd.value })],
  [2, fc.record({ how: fc.constant('drop') })],
  [1, fc.record({ how: fc.constant('rename'), key: odd.key })],
  [2, fc.record({ how: fc.constant('add'), key: odd.key, value: odd.value })],
  [1, fc.record({ how: fc.constant('wrap') })],
);

/** Every place in a value, including the value itself. */
function placesOf(value: JsonValue, path: Path = []): Path[] {
  if (!isContainer(value)) return [path];
  const inside = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return [path, ...inside.flatMap(([key, item]) => placesOf(item, [...path, key]))];
}

/** Changes a copy. Skips a place that an earlier change removed. */
function changed(value: JsonValue, [key, ...rest]: Path, change: Change): JsonValue {
  if (key === undefined) return changedHere(value, change);
  if (!isContainer(value)) return value;
  const entries = Object.entries(value).flatMap(([name, item]): [string, JsonValue][] => {
    if (name !== String(key)) return [[name, item]];
    if (rest.length > 0) return [[name, changed(item, rest, change)]];
    if (change.how === 'drop') return [];
    return [change.how === 'rename' ? [change.key, item] : [name, changedHere(item, change)]];
  });
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

function changedHere(value: JsonValue, change: Change): JsonValue {
  switch (change.how) {
    case 'set':
      return change.value;
    case 'wrap':
      return [value];
    case 'add':
      if (!isContainer(value)) return { [change.key]: change.value };
      return Array.isArray(value)
        ? [...value, change.value]
        : Object.fromEntries([...Object.entries(value), [change.key, change.value]]);
    case 'drop':
    case 'rename':
      return value;
  }
}

function isContainer(value: JsonValue): value is JsonValue[] | { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null;
}
