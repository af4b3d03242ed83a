import { readFile } from 'node:fs/promises';
import { brokenVariants, models, properties } from './checks.ts';
import { fingerprintOf } from './fingerprint.ts';
import { isRight } from './report.ts';
import { judgedOf, outdatedModels, readResults } from './results.ts';
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

test.each(models)('docs/model.md has the results of %s as it is: npm run prove -- model --write', async (model) => {
  const docs = await readFile(new URL('../../../docs/model.md', import.meta.url), 'utf8');

  expect(docs).toContain(`\`${model}\` \`${await fingerprintOf(model)}\``);
});

describe('the kept results', () => {
  test('are those of the models as they are', async () => {
    expect(await outdatedModels(readResults())).toEqual([]);
  });

  test('of another model are outdated', async () => {
    const { 'lists.pml': lists, ...others } = readResults();

    expect(await outdatedModels({ ...others, 'lists.pml': { found: [], ...lists, fingerprint: 'old' } })).toEqual([
      'lists.pml',
    ]);
  });

  test('are as expected: nothing is violated but what a broken variant refutes', () => {
    expect(judgedOf(readResults()).filter((judged) => !isRight(judged))).toEqual([]);
  });
});
