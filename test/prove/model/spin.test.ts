import { readFile } from 'node:fs/promises';
import { brokenVariants, models, properties } from './checks.ts';
import { propertyTable } from './report.ts';
import { keyOf, rowOf, searches } from './results.ts';
import { readSearch } from './spin.ts';

const complete = `
(Spin Version 6.5.2 -- 6 December 2019)
State-vector 140 byte, depth reached 148, errors: 0
     7403 states, stored
pan: elapsed time 0.01 seconds
`;

describe('the output of spin', () => {
  test('without an error is a search in which every property holds', () => {
    expect(readSearch('whole', complete)).toStrictEqual({ states: 7403, depth: 148, seconds: 0.01 });
  });

  test.each([
    ['pan:1: assertion violated ((5!=0)&&(died||clean)) (at depth 108)', '5'],
    ['pan:1: assertion violated ((9!=0)&&(status!=CONNECTED)) (at depth 62)', '9'],
    ['pan:1: assertion violated ((100!=0)&&(status==5)) (at depth 62)', 'every launch ends'],
    ['pan:1: assertion violated ((103!=0)&&(known==there)) (at depth 62)', 'lists'],
    ['pan:1: non-progress cycle (at depth 139)', 'no run goes in circles'],
  ])('names the violated property: %s', (failure, property) => {
    const output = `${failure}\n${complete.replace('errors: 0', 'errors: 1')}`;

    expect(readSearch('broken', output).violated).toBe(property);
  });

  test.each([
    ['a search that was cut off by its depth', `error: max search depth too small\n${complete}`],
    ['a search that was broken off', `Warning: Search not completed\n${complete}`],
    ['a search that does not report its end', complete.replace('errors: 0', '')],
    ['a standstill, which is no property', `pan:1: invalid end state\n${complete.replace('errors: 0', 'errors: 1')}`],
    ['nothing', ''],
  ])('is an error when it is %s', (_what, output) => {
    expect(() => readSearch('cut off', output)).toThrow('cut off: ');
  });
});

test('every property is refuted by a broken variant', () => {
  const refuted = new Set(brokenVariants.map(({ refutes }) => refutes));

  expect([...refuted].sort()).toStrictEqual(Object.keys(properties).sort());
});

const page = await readFile(new URL('../../../docs/model.md', import.meta.url), 'utf8');

test('docs/model.md has each property, and what refutes it', () => {
  expect(page).toContain(propertyTable());
});

test.each(models)('docs/model.md has the results of %s as it is: npm run prove -- model --record', async (model) => {
  expect(page).toContain(`| ${(await keyOf(model)).join(' | ')} |`);
});

test('a row adds up the searches of its model that hold, and counts its broken variants', async () => {
  const found = { states: 1200, depth: 1, seconds: 0.1 };
  const judged = searches.map((each) => ({ ...each, found }));

  expect(await rowOf('lists.pml', judged, ['today'])).toEqual([
    ...(await keyOf('lists.pml')),
    '2',
    '2,400',
    '2',
    'today',
  ]);
});
