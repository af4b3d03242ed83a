import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { atLeast, atMost, type Figure, median } from '../../bench/figure.ts';
import { chartOf } from '../../bench/report/chart.ts';
import { withFigures } from '../../bench/report/page.ts';
import { goalsOf, linesOf, round, tableOf } from '../../bench/report/table.ts';
import { writeDocs } from '../../bench/report/write-docs.ts';
import { merge, Results, type Taken } from '../../bench/results.ts';

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
  return { measure, takenAt, tookSeconds: 7, load: { before: 0.5, after: 1.25 }, machine, figures: [figure], ...about };
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

test('a table has each contender with its spread and its samples, and no cell ends early', () => {
  expect(tableOf([figure])).toBe(
    [
      '| measure | figures | note |',
      '| --- | --- | --- |',
      '| placed → published | the bare calls: 28 ms (25.4 to 31, n=40)<br>davit <local>: 140 ms | a \\| b |',
      '',
    ].join('\n'),
  );
});

test('the goals are a table of the figures with a goal, and a missed goal says so', () => {
  const met: Figure = { name: 'calls', unit: '', contenders: [], goal: atMost(5, 6, 'count') };
  const without: Figure = { name: 'reported', unit: '', contenders: [] };

  expect(goalsOf([figure, met, without])).toBe(
    [
      '| measure | goal | found |  |',
      '| --- | --- | --- | --- |',
      '| placed → published | ≤ 1.5 × | 5 | **missed** |',
      '| calls | ≤ 6 | 5 | met |',
      '',
    ].join('\n'),
  );
});

test('a terminal gets the same, one line each', () => {
  expect(linesOf([figure]).split('\n')).toEqual([
    'placed → published: 5, goal ≤ 1.5 × ✗ missed',
    '  the bare calls  28 ms (25.4 to 31, n=40)',
    '  davit <local>   140 ms',
    '  a | b',
  ]);
});

test("a chart's bars are proportional to the values, and its text is escaped", () => {
  const chart = chartOf({ name: 'a < b', unit: 'ms', contenders: [10, 5].map((value) => ({ name: '"&', value })) });

  expect([...chart.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map(([, width]) => Number(width))).toEqual([
    300, 150,
  ]);
  expect(chart).toContain('a &lt; b (ms)');
  expect(chart).toContain('>&quot;&amp;<');
  expect(chart).not.toContain('a < b');
});

test('a repeated measure replaces only itself, in the order of the measures', () => {
  const before = { taken: [taken('second'), taken('third')] };
  const again = merge(before, taken('second', { tookSeconds: 9 }), ['first', 'second', 'third']);

  const all = merge(again, taken('first'), ['first', 'second', 'third']);

  expect(all.taken.map(({ measure, tookSeconds }) => [measure, tookSeconds])).toEqual([
    ['first', 7],
    ['second', 9],
    ['third', 7],
  ]);
});

describe('a page', () => {
  const page = 'Before.\n<!-- Figures: written by `npm run bench`. -->\nold\n<!-- End of the figures. -->\nAfter.\n';

  test('keeps what people wrote, and replaces the old figures', () => {
    const written = withFigures(page, { taken: [taken('sweep')] });

    expect(written.startsWith('Before.\n<!-- Figures')).toBe(true);
    expect(written.endsWith('<!-- End of the figures. -->\nAfter.\n')).toBe(true);
    expect(written).not.toContain('old');
    expect(written).toContain('## sweep\n');
    expect(written).toContain(
      '2026-01-02 03:04 UTC, in 7 s; 2 × a processor, Node.js v24.0.0; load average 0.5 before',
    );
    expect(written).toContain('![placed → published](sweep-1.svg)');
  });

  test('stays the same when the same figures are written again', () => {
    const written = withFigures(page, { taken: [taken('sweep')] });

    expect(withFigures(written, { taken: [taken('sweep')] })).toBe(written);
  });

  test('without its marks is not overwritten', () => {
    expect(() => withFigures('Nothing here.', { taken: [] })).toThrow('the page has no "<!-- Figures');
  });
});

describe('docs/bench/', () => {
  let path: string;
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'davit-bench-docs-'));
    const marks = '<!-- Figures: written by `npm run bench`. -->\n<!-- End of the figures. -->\n';
    await writeFile(join(path, 'README.md'), `# Benchmark\n\n${marks}`);
  });
  afterEach(() => rm(path, { recursive: true }));

  test('has the page, the figures as JSON, and a chart of each comparison after each measure', async () => {
    const directory = pathToFileURL(`${path}/`);
    const alone: Figure = { name: 'alone', unit: '', contenders: [{ name: 'davit', value: 1 }] };
    await writeFile(join(path, 'gone-1.svg'), 'of a removed measure');

    await writeDocs(directory, taken('first', { figures: [alone, figure] }), ['first', 'second']);
    await writeDocs(directory, taken('second'), ['first', 'second']);

    expect((await readdir(path)).toSorted()).toEqual(['README.md', 'first-2.svg', 'results.json', 'second-1.svg']);
    const results = Results.parse(JSON.parse(await readFile(join(path, 'results.json'), 'utf8')));
    expect(results.taken.map(({ measure }) => measure)).toEqual(['first', 'second']);
    expect(await readFile(join(path, 'README.md'), 'utf8')).toContain('## second');
  });
});
