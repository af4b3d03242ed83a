import * as fc from 'fast-check';
import type { JsonValue } from '../../../../local/json-value.ts';
import { anyCodePoint } from '../../../support/any-code-point.ts';
import { weighted } from './weighted.ts';

/** JSON that `JSON.stringify` does not write. A value contains `raw json <name>` as its placeholder. */
export const rawJson: Readonly<Record<string, string>> = {
  infinity: '1e999',
  'minus infinity': '-1e999',
  'minus zero': '-0',
  'tiny number': '5e-324',
  'many digits': '9'.repeat(400),
  'above the safe integers': '9007199254740993',
  // Code that takes it for a list or a text, and compares its length, recurses to the bottom.
  'deep length': `{"length":${'['.repeat(8000)}${']'.repeat(8000)}}`,
  'deep lists': `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  'deep mappings': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  'doubled key': '{"name":"a","name":{"b":1},"name":"c"}',
  'lone surrogate': '"\\ud800"',
  'swapped surrogates': '"\\udc00\\ud800"',
  'own proto': '{"__proto__":{"isAdmin":true,"name":"x"}}',
  'not json': '{]',
  'not a number': 'NaN',
};

const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then', 'toJSON'];
const words = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'true',
  '*',
  '..',
  '../../x',
  '%00',
  '\0',
  '\r\n',
  '\ud800',
  '\u202e',
  'ﬀ',
  'İ',
];
const syntax = ['${x}', '{{x}}', "'; --", '<script>', 'http://[', 'https://', 'a'.repeat(300), 'é'.repeat(5000)];
const numbers = [0, -1, 1, 1.5, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 1e21, 1e308, -1e308];

/** Arbitrary UTF-16, including lone surrogates. */
const utf16 = fc.string({ unit: fc.nat(0xff_ff).map((code) => String.fromCharCode(code)), maxLength: 20 });

const anyText = weighted(
  [4, fc.constantFrom(...words, ...syntax, ...keys)],
  [2, fc.string({ maxLength: 80 })],
  [1, fc.string({ unit: anyCodePoint, maxLength: 20 })],
  [1, utf16],
);

const anyNumber = fc.oneof(
  fc.constantFrom(...numbers),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** The deep values are large: a few are enough. */
const anyRaw = weighted(
  [60, fc.constantFrom(...Object.keys(rawJson).filter((name) => !name.startsWith('deep')))],
  [1, fc.constantFrom('deep lists', 'deep mappings', 'deep length')],
).map((name) => `raw json ${name}`);

const anyValue: fc.Arbitrary<JsonValue> = weighted(
  [3, anyText],
  [3, anyNumber],
  [2, fc.constantFrom<JsonValue[]>(null, true, false, [], {}, [[]], [null], [{}], { name: null })],
  [1, anyRaw],
  [1, fc.array(anyText, { maxLength: 4 })],
);

/** Values that no caller intends to send: edge cases, and keys that JavaScript reserves. */
export const odd = {
  value: anyValue,
  text: anyText,
  reservedKey: fc.constantFrom(...keys),
  key: fc.oneof(fc.constantFrom(...keys), fc.constantFrom('name', 'id', 'labels', 'env', 'kind'), anyText),
};
