import { benchHelp, readBenchArguments } from '../../prove/bench/arguments.ts';
import { measures } from '../../prove/bench/measures.ts';
import { fullSize, quickSize } from '../../prove/bench/size.ts';

const all = measures.map(({ name }) => name);

test('without arguments everything is measured in full, and the docs are written', () => {
  expect(readBenchArguments([])).toEqual({ size: fullSize, only: all, write: true });
});

test('a quick run leaves the docs as they are', () => {
  expect(readBenchArguments(['--quick'])).toEqual({ size: quickSize, only: all, write: false });
});

test('the requested launches are made however long that takes', () => {
  const growTo = { samples: 10_000, forSeconds: Number.POSITIVE_INFINITY };

  expect(readBenchArguments(['--only', 'growth,sweep', '--grow-to', '10000'])).toEqual({
    size: { ...fullSize, growTo },
    only: ['growth', 'sweep'],
    write: true,
  });
});

test('calls fail for as long as requested', () => {
  expect(readBenchArguments(['--only', 'flaps', '--fail-for', '3600'])).toEqual({
    size: { ...fullSize, failingSeconds: 3600 },
    only: ['flaps'],
    write: true,
  });
});

test('a burst of another size leaves the docs as they are', () => {
  expect(readBenchArguments(['--only', 'burst', '--burst', '300'])).toEqual({
    size: { ...fullSize, burst: 300 },
    only: ['burst'],
    write: false,
  });
});

test('the help has every measure', () => {
  expect(readBenchArguments(['--help'])).toBe('help');
  for (const name of all) expect(benchHelp).toContain(`  ${name} `);
});
