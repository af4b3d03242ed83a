import { atLeast, atMost, type Figure, median } from '../../prove/bench/figure.ts';
import { withFigures } from '../../prove/bench/report/page.ts';
import { linesOf, round } from '../../prove/bench/report/table.ts';
import type { Taken } from '../../prove/bench/results.ts';

const summary = { samples: 40, p25: 25.4, p50: 28.04, p75: 31, p95: 60, p99: 99 };
const figure: Figure = {
  name: 'placed → published',
  unit: 'ms',
  contenders: [median('the bare calls', summary), { name: 'davit <local>', value: 140.2 }],
  goal: atMost(5, 1.5, 'measurement', ' ×'),
  note: 'a | b',
};
const machine = { processors: 2, model: 'a processor', node: 'v24.0.0' };

function taken(measure: string, about: Partial<Taken> = {}): Taken {
  const takenAt = '2026-01-02T03:04:05.678Z';
  const load = { before: 0.5, after: 1.25 };
  return { measure, takenAt, tookSeconds: 7, load, machine, commit: '0a1b2c3', figures: [figure], ...about };
}

test.each([
  [0, '0'],
  [1.234, '1.23'],
  [5, '5'],
  [12.34, '12.3'],
  [1234.5, '1235'],
  [40, '40'],
  [-12.34, '-12.3'],
])('%d is written with three significant digits: %s', (value, text) => {
  expect(round(value)).toBe(text);
});

test('a goal is met at its exact value', () => {
  expect([atMost(1.5, 1.5, 'count').isMet, atMost(1.51, 1.5, 'count').isMet]).toEqual([true, false]);
  expect([atLeast(0.5, 0.5, 'count').isMet, atLeast(0.49, 0.5, 'count').isMet]).toEqual([true, false]);
});

test('a terminal gets each contender with its spread and its samples, one line each', () => {
  expect(linesOf([figure]).split('\n')).toEqual([
    'placed → published: 5, goal ≤ 1.5 × ✗ missed',
    '  the bare calls  28 ms (25.4 to 31, n=40)',
    '  davit <local>   140 ms',
    '  a | b',
  ]);
});

describe('a page', () => {
  const marks = ['<!-- Figures: written by `npm run bench`. -->', '<!-- End of the figures. -->'] as const;
  const page = `Before.\n${marks[0]}\nold\n${marks[1]}\nAfter.\n`;
  const order = ['first', 'second', 'third'];

  test('keeps what people wrote, and gets a row for each figure with a goal', () => {
    const met: Figure = { name: 'calls', unit: '', contenders: [], goal: atMost(5, 6, 'count') };
    const without: Figure = { name: 'reported', unit: '', contenders: [] };

    expect(withFigures(page, taken('first', { figures: [figure, met, without] }), order)).toBe(
      [
        'Before.',
        marks[0],
        '',
        '| measure | figure | goal | found |  | on | commit |',
        '| --- | --- | --- | --- | --- | --- | --- |',
        '| first | placed → published | ≤ 1.5 × | 5 | **missed** | 2026-01-02 | 0a1b2c3 |',
        '| first | calls | ≤ 6 | 5 | met | 2026-01-02 | 0a1b2c3 |',
        '',
        marks[1],
        'After.',
        '',
      ].join('\n'),
    );
  });

  test('keeps the rows of other measures, in their order, and none of a measure that is gone', () => {
    const measured = ['third', 'gone', 'second', 'first'];
    const written = measured.reduce((before, name) => withFigures(before, taken(name), [...order, 'gone']), page);

    const again = withFigures(written, taken('second', { commit: '4d5e6f7' }), order);

    const rows = [...again.matchAll(/^\| (\w+) .* \| (\w{7}) \|$/gm)].map(([, measure, commit]) => [measure, commit]);
    expect(rows).toEqual([
      ['first', '0a1b2c3'],
      ['second', '4d5e6f7'],
      ['third', '0a1b2c3'],
    ]);
    expect(withFigures(again, taken('second', { commit: '4d5e6f7' }), order)).toBe(again);
  });

  test('without its marks is not overwritten', () => {
    expect(() => withFigures('Nothing here.', taken('first'), order)).toThrow('the page has no "<!-- Figures');
  });
});
