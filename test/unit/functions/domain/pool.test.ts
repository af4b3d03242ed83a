import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Join } from '../../../../functions/domain/join.ts';
import { agreedMissing, poolKeyOf } from '../../../../functions/domain/pool.ts';

const join: Join = { ciSystem: 'gitea', scope: { organization: 'acme' }, labels: ['linux', 'large'], idleSeconds: 300 };
const repository = { owner: 'acme', name: 'app' };

test('labels in another order make the same pool', () => {
  expect(poolKeyOf({ ...join, labels: ['large', 'linux'] })).toBe(poolKeyOf(join));
});

test.each<Partial<Join>>([
  { ciSystem: 'github' },
  { scope: { organization: 'umbrella' } },
  { scope: { repository } },
  { runnerGroup: 'builds' },
  { labels: ['linux'] },
  { labels: ['linux', 'Large'] },
])('%j makes another pool', (other) => {
  expect(poolKeyOf({ ...join, ...other })).not.toBe(poolKeyOf(join));
});

test('a group cannot be taken for a label, nor two labels for one', () => {
  const keys = [
    poolKeyOf({ ...join, runnerGroup: 'a', labels: ['b'] }),
    poolKeyOf({ ...join, labels: ['a', 'b'] }),
    poolKeyOf({ ...join, labels: ['a,b'] }),
  ];

  expect(new Set(keys).size).toBe(3);
});

test.each([
  { before: undefined, missing: 5, launch: 0, retire: 0 },
  { before: undefined, missing: -5, launch: 0, retire: 0 },
  { before: 3, missing: 5, launch: 3, retire: 0 },
  { before: 5, missing: 3, launch: 3, retire: 0 },
  { before: -2, missing: -4, launch: 0, retire: 2 },
  { before: -4, missing: -2, launch: 0, retire: 2 },
  { before: 4, missing: -4, launch: 0, retire: 0 },
  { before: -4, missing: 4, launch: 0, retire: 0 },
  { before: 0, missing: 4, launch: 0, retire: 0 },
])('looks of $before and $missing launch $launch and retire $retire', ({ before, missing, launch, retire }) => {
  const look = before === undefined ? undefined : { missing: before, atEpochMs: 1 };

  expect(agreedMissing(look, missing)).toEqual({ launch, retire });
});

test('no two looks launch and retire at once, and none does more than it sees itself', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (before, missing) => {
      const { launch, retire } = agreedMissing({ missing: before, atEpochMs: 1 }, missing);

      expect(Math.min(launch, retire)).toBe(0);
      expect(launch).toBeLessThanOrEqual(Math.max(0, missing));
      expect(retire).toBeLessThanOrEqual(Math.max(0, -missing));
    }),
  );
});
