import * as fc from 'fast-check';
import { agreedRepairs, PoolLook, poolKeyOf } from '../../../../core/agent/pool.ts';
import type { Join } from '../../../../core/ci/join.ts';

const join: Join = { ciSystem: 'gitea', scope: { organization: 'acme' }, labels: ['linux', 'large'], idleSeconds: 300 };
const repository = { owner: 'acme', name: 'app' };

test('every version of davit gives a pool the same key, from which the ids of its warm launches come', () => {
  expect(poolKeyOf({ ...join, scope: { organization: 'Acme' } })).toBe('["gitea","acme","",["large","linux"]]');
});

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

test('a group is never confused with a label, nor one label with two', () => {
  const keys = [
    poolKeyOf({ ...join, runnerGroup: 'a', labels: ['b'] }),
    poolKeyOf({ ...join, labels: ['a', 'b'] }),
    poolKeyOf({ ...join, labels: ['a,b'] }),
  ];

  expect(new Set(keys).size).toBe(3);
});

test('a reader of a look gets all that was written', () => {
  const look = { missing: -1, missingWithWarm: 2, nextWarm: 7, unlisted: ['gitea/7/8/1'], atEpochMs: 1 };

  expect(PoolLook.parse(look)).toEqual(look);
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

  expect(agreedRepairs(look, { missing, missingWithWarm: missing })).toEqual({ launch, warm: 0, retire });
});

test.each([
  { title: 'an empty pool gets its warm agents', before: [0, 2], now: [0, 2], launch: 0, warm: 2, retire: 0 },
  { title: 'a job gets its own first', before: [1, 3], now: [1, 3], launch: 1, warm: 2, retire: 0 },
  { title: 'a new job waits for the next look', before: [0, 2], now: [1, 3], launch: 0, warm: 2, retire: 0 },
  { title: 'idle warm agents are no surplus', before: [-2, 0], now: [-2, 0], launch: 0, warm: 0, retire: 0 },
  { title: 'agents over the target are surplus', before: [-5, -3], now: [-5, -3], launch: 0, warm: 0, retire: 3 },
])('$title', ({ before: [missing = 0, missingWithWarm = 0], now, launch, warm, retire }) => {
  const look = { missing, missingWithWarm, atEpochMs: 1 };

  expect(agreedRepairs(look, { missing: now[0] ?? 0, missingWithWarm: now[1] ?? 0 })).toEqual({ launch, warm, retire });
});

test('two looks never both launch and retire, and never do more than the later one sees', () => {
  const look = fc
    .tuple(fc.integer(), fc.nat())
    .map(([missing, warm]) => ({ missing, missingWithWarm: missing + warm }));
  fc.assert(
    fc.property(look, look, (before, now) => {
      const { launch, warm, retire } = agreedRepairs({ ...before, atEpochMs: 1 }, now);

      expect(Math.min(launch + warm, retire)).toBe(0);
      expect(launch).toBeLessThanOrEqual(Math.max(0, now.missing));
      expect(launch + warm).toBeLessThanOrEqual(Math.max(0, now.missingWithWarm));
      expect(retire).toBeLessThanOrEqual(Math.max(0, -now.missingWithWarm));
    }),
  );
});
