import { expect, test } from '@jest/globals';
import { benchHelp, readBenchArguments } from '../../bench/arguments.ts';
import { measures } from '../../bench/measures.ts';
import { fullSize, quickSize } from '../../bench/size.ts';

const all = measures.map(({ name }) => name);

test('without arguments everything is measured in full, and the docs are written', () => {
  expect(readBenchArguments([])).toEqual({ size: fullSize, only: all, write: true });
});

test('a first answer leaves the docs as they are', () => {
  expect(readBenchArguments(['--quick'])).toEqual({ size: quickSize, only: all, write: false });
});

test('launches that are asked for are made however long it takes', () => {
  const growTo = { samples: 10_000, forSeconds: Number.POSITIVE_INFINITY };

  expect(readBenchArguments(['--only', 'growth,sweep', '--grow-to', '10000'])).toEqual({
    size: { ...fullSize, growTo },
    only: ['growth', 'sweep'],
    write: true,
  });
});

test.each([
  [['--only', 'nothing'], '--only: expected some of'],
  [['--grow-to', 'far'], '--grow-to: expected a number'],
  [['--grow-to', '5'], '--grow-to: '],
  [['--fast'], "Unknown option '--fast'"],
])('%j is refused in words', (args, message) => {
  expect(() => readBenchArguments(args)).toThrow(message);
});

test('the help has every measure', () => {
  expect(readBenchArguments(['--help'])).toBe('help');
  for (const name of all) expect(benchHelp).toContain(`  ${name} `);
});
