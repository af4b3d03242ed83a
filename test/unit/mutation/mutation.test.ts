import { mutationDocs } from '../../../scripts/mutation/mutation-docs.ts';
import { resultsOf } from '../../../scripts/mutation/results.ts';
import { readMutateArguments } from '../../mutation/arguments.ts';
import { testsOf } from '../../mutation/judge.ts';
import { addNoticed, isRecorded, rangesOfSurvivors, resultsToJudgeAgain } from '../../mutation/recorded-survivors.ts';

const place = { line: 3, column: 1, endLine: 3, endColumn: 5, mutator: 'ConditionalExpression' };
const file = 'functions/sweep/a.ts';

test("a file's score counts the mutants that any test killed, and lists the others as survivors", () => {
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

test('what new tests notice of the recorded survivors is added to the result', () => {
  const survivor = { line: 3, mutator: 'ConditionalExpression', replacement: 'true' };
  const survivors = [
    { ...survivor, original: 'one' },
    { ...survivor, original: 'two\n  three' },
  ];
  const before = { [file]: { commit: 'c0ffee1', mutants: 9, killed: 7, bySimulation: 1, survivors } };
  const one = { ...place, file, original: 'one', replacement: 'true', killedBy: 'simulation' as const };
  const two = { ...place, file, original: 'two\n  three', replacement: 'true' };
  const other = { ...place, file, original: 'one', replacement: 'false' };

  const judged = [one, two, other].filter((mutant) => isRecorded(before, mutant));

  expect(rangesOfSurvivors(before)).toEqual([`${file}:3-3`, `${file}:3-4`]);
  expect(addNoticed(before, resultsOf([file], judged, 'c0ffee2'))).toEqual({
    [file]: { commit: 'c0ffee2', mutants: 9, killed: 8, bySimulation: 2, survivors: survivors.slice(1) },
  });
});

test('a file without a result has no survivors to judge', () => {
  expect(() => resultsToJudgeAgain({}, [file])).toThrow(`--survivors: ${file} is not as it was recorded`);
});

test("the tests of a file's own folder judge it first", () => {
  expect(testsOf('own', [file, 'functions/sweep/b.ts'])).toEqual(['test/unit/functions/sweep/*.test.ts']);
});

test.each([
  { args: [], message: '--files: expected a glob' },
  { args: ['--files', file, '--concurrency', '0'], message: '--concurrency: expected a number from 1 on, found 0' },
])('the arguments $args are refused: $message', ({ args, message }) => {
  expect(() => readMutateArguments(args)).toThrow(message);
});
