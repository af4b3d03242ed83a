import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { testsVariable } from './judge.ts';
import type { Mutant } from './results.ts';

/**
 * Changes the code with Stryker, one expression at a time, and runs the tests that cover the change.
 *
 * @param mutate files, each of which may end in a range: `file.ts:startLine:startColumn-endLine:endColumn`
 * @param tests globs of the judging test files
 * @see https://stryker-mutator.io/docs/stryker-js/configuration
 */
export async function findMutants(mutate: string[], tests: readonly string[], concurrency: number): Promise<Mutant[]> {
  if (mutate.length === 0) return [];
  process.env[testsVariable] = tests.join(',');
  const stryker = new Stryker({
    mutate,
    concurrency,
    testRunner: 'jest-circus',
    plugins: ['./test/prove/mutation/circus-test-runner.ts'],
    coverageAnalysis: 'perTest',
    // No test of a judge may load the file: then all its mutants survive that judge.
    allowEmpty: true,
    // A busy machine slows tests down: that is not a hang.
    timeoutMS: 60_000,
    reporters: ['progress-append-only'],
    thresholds: { break: null },
    packageManager: 'npm',
    // Stryker reads a tsconfig.json by TypeScript's JavaScript API, which TypeScript 7 does not have.
    tsconfigFile: 'none',
    tempDirName: '.stryker-tmp',
    ignorePatterns: ['.aws-programs', '.davit*', '.venv', 'cdk.out', 'coverage', 'dist'],
    allowConsoleColors: false,
  });
  const results = await stryker.runMutationTest();
  const sources = new Map<string, string[]>();
  const mutants: Mutant[] = [];
  for (const { fileName, location, mutatorName, replacement, status } of results) {
    if (status === 'Ignored' || status === 'CompileError' || status === 'RuntimeError') continue;
    const file = relative(process.cwd(), fileName);
    const lines = sources.get(file) ?? (await readFile(file, 'utf8')).split('\n');
    sources.set(file, lines);
    const { start, end } = location;
    const place = { line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
    const original = textBetween(lines, place);
    const killed = status === 'Killed' || status === 'Timeout' ? { killedBy: 'own' as const } : {};
    mutants.push({ file, ...place, mutator: mutatorName, original, replacement, ...killed });
  }
  return mutants;
}

/** A range of code: lines and columns count from 1, and the end column is exclusive. */
export type Place = Pick<Mutant, 'line' | 'column' | 'endLine' | 'endColumn'>;

/** The pattern that makes Stryker mutate only this range. */
export function rangeOf({ file, line, column, endLine, endColumn }: Mutant): string {
  return `${file}:${line}:${column - 1}-${endLine}:${endColumn - 1}`;
}

function textBetween(lines: readonly string[], { line, column, endLine, endColumn }: Place): string {
  const within = lines.slice(line - 1, endLine);
  const last = within.length - 1;
  return within
    .map((text, index) => text.slice(index === 0 ? column - 1 : 0, index === last ? endColumn - 1 : undefined))
    .join('\n');
}
