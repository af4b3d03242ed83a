import { readMutateArguments } from '../../prove/mutation/arguments.ts';
import { testsOf } from '../../prove/mutation/judge.ts';
import { rowsOf } from '../../prove/mutation/page.ts';
import { reasonFor } from '../../prove/mutation/reasons.ts';
import { countsOf, scoreOf } from '../../prove/mutation/results.ts';

const place = { line: 3, column: 1, endLine: 3, endColumn: 5, mutator: 'ConditionalExpression' };
const file = 'functions/sweep/a.ts';

const mutants = [
  { ...place, file, original: 'one', replacement: 'true', killedBy: 'own' as const },
  { ...place, file, original: 'two', replacement: 'true', killedBy: 'simulation' as const },
  { ...place, file, original: 'a |\n b', replacement: 'false' },
];

test('a score counts the mutants that any test killed', () => {
  expect(countsOf(mutants)).toEqual({ mutants: 3, killed: 2, bySimulation: 1 });
  expect(scoreOf(countsOf(mutants))).toBe('66.7');
});

test('each folder has a row', () => {
  expect(
    rowsOf([...mutants, { ...place, file: 'functions/admit/a.ts', original: 'a', replacement: 'b' }], ['today']),
  ).toEqual([
    ['`functions/sweep`', '66.7 %', '3', '1', '1', 'today'],
    ['`functions/admit`', '0.0 %', '1', '1', '0', 'today'],
  ]);
});

test('a survivor has the reason of its file and its code, or none', () => {
  const known = {
    ...place,
    file: 'functions/clean-up/remove-everywhere.ts',
    original: "kind === 'Pod'",
    replacement: 'true',
  };

  expect(reasonFor(known)).toBe('only a Pod has times');
  expect(reasonFor({ ...known, file })).toBeUndefined();
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
