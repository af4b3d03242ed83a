import { expect, test } from '@jest/globals';
import { mutationDocs } from '../../scripts/mutation/mutation-docs.ts';
import { resultsOf } from '../../scripts/mutation/results.ts';
import { readMutateArguments } from './arguments.ts';
import { testsOf } from './judge.ts';

const place = { line: 3, column: 1, endLine: 3, endColumn: 5, mutator: 'ConditionalExpression' };
const file = 'functions/sweep/a.ts';

test("a file's score counts what any test noticed, and its survivors are what none did", () => {
  const mutants = [
    { ...place, file, original: 'one', replacement: 'true', killedBy: 'own' as const },
    { ...place, file, original: 'two', replacement: 'true', killedBy: 'simulation' as const },
    { ...place, file, original: 'a |\n b', replacement: 'false' },
  ];

  const results = resultsOf([file], mutants, 'c0ffee1');

  expect(results).toEqual({
    [file]: {
      commit: 'c0ffee1',
      mutants: 3,
      killed: 2,
      bySimulation: 1,
      survivors: [{ line: 3, mutator: 'ConditionalExpression', original: 'a |\n b', replacement: 'false' }],
    },
  });
  expect(mutationDocs(results)).toContain('| `functions/sweep` | 66.7 % | 3 | 1 | 1 | c0ffee1 |');
  expect(mutationDocs(results)).toContain('| functions/sweep/a.ts:3 | `a \\| b` | `false` | a test is missing |');
});

test('a file is judged by the tests of its own folder first', () => {
  expect(testsOf('own', [file, 'functions/sweep/b.ts'])).toEqual(['test/unit/functions/sweep/**/*.test.ts']);
});

test.each([
  { args: [], says: '--files: expected a glob' },
  { args: ['--files', file, '--concurrency', '0'], says: '--concurrency: expected a number from 1 on, found 0' },
])('the arguments $args are refused: $says', ({ args, says }) => {
  expect(() => readMutateArguments(args)).toThrow(says);
});
