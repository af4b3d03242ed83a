import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { parse, parseDocument } from 'yaml';
import { Config } from '../../../../core/config/config.ts';
import { ConfigError } from '../../../../core/config/config-problem.ts';
import { parseConfig } from '../../../../core/config/read-config.ts';
import { mangledBytes } from '../arbitraries/mangled-bytes.ts';
import { jsonText, mutatedJson } from '../arbitraries/mutated-json.ts';
import { odd } from '../arbitraries/odd-json.ts';
import { weighted } from '../arbitraries/weighted.ts';
import { defineDoor } from '../door.ts';

const text = readFileSync(new URL('../../../../davit.yaml', import.meta.url), 'utf8');
const lines = text.split('\n');

/** Replaces a line, or part of one: YAML that does more than state a value. */
const yamlSyntax = [
  '- &a [*a]',
  '<<: *b',
  'x: !!binary "%%"',
  'x: !!js/function "f"',
  '? {a: b}\n: c',
  'x: &b {y: *b}',
  `x: ${'['.repeat(3000)}`,
  `x: ${'{a: '.repeat(3000)}`,
  '--- # another document',
  '%YAML 9.9',
  '\t- a',
  'x: "\\uD800"',
  'x: "\\U00110000"',
  'x: |9\n  a',
  `b: &c0 [x]\n${Array.from({ length: 12 }, (_, n) => `c${n}: &c${n + 1} [${`*c${n},`.repeat(9)}]`).join('\n')}`,
  '__proto__: {a: 1}',
  'x: 2001-01-01',
  'x: *nowhere',
];

/** Undefined keeps the replaced line's indentation. */
const indents = fc.option(
  fc.nat(8).map((width) => ' '.repeat(width)),
  { nil: undefined, freq: 2 },
);

function indentOf(line = ''): string {
  return line.slice(0, line.length - line.trimStart().length);
}

const changedText = fc
  .array(fc.tuple(fc.nat(lines.length - 1), fc.oneof(fc.constantFrom(...yamlSyntax), odd.text), indents), {
    maxLength: 3,
  })
  .map((changes) => {
    const changed = [...lines];
    for (const [at, line, indent] of changes) changed[at] = `${indent ?? indentOf(lines[at])}${line}`;
    return changed.join('\n');
  });

/** Changed data, written as JSON, which is valid YAML. */
const changedData = mutatedJson(JSON.parse(JSON.stringify(parse(text)))).map(jsonText);

/** The form of a problem's line: the file, a position or a field's path, and a message. */
const problemLine = /^davit\.yaml(:\d+:\d+)?: (?<says>.+)$/s;
const field = /^(clusters|ciSystems|profiles)[[.:]/;
/** Problems of the file as a whole. */
const ofTheWhole = /^(unknown key |expected a mapping, found |Excessive alias count|Unresolved alias)/;

/** davit.yaml as people write it: it is a valid config, or every problem names the file and the path. */
export const configDoor = defineDoor({
  inputs: weighted([2, mangledBytes(changedData)], [1, mangledBytes(changedText)]).map((bytes) => bytes.toString()),
  open: () => (input) => {
    try {
      Config.parse(JSON.parse(JSON.stringify(parseConfig(input, 'davit.yaml'))));
      return 'taken';
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      assert.ok(error.problems.length > 0);
      const isYaml = isWellFormed(input);
      for (const problem of error.problems) checkProblem(problem, isYaml);
      return 'refused, with file and path';
    }
  },
});

function isWellFormed(input: string): boolean {
  const { errors, warnings } = parseDocument(input);
  return errors.length === 0 && warnings.length === 0;
}

/** @param isYaml whether davit read the file's data: then a problem names its path, and otherwise only its place */
function checkProblem(problem: string, isYaml: boolean): void {
  const [, place, detail = ''] = problemLine.exec(problem) ?? [];
  assert.ok(detail !== '', `a problem names no file: ${problem}`);
  assert.ok(
    isYaml ? field.test(detail) || ofTheWhole.test(detail) : place !== undefined,
    `a problem names no path: ${problem}`,
  );
}
