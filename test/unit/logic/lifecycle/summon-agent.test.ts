import { poolKeyOf } from '../../../../core/agent/pool.ts';
import type { Join } from '../../../../core/ci/join.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { summonAgent } from '../../../../logic/lifecycle/summon-agent.ts';

const scope = { organization: 'acme' };
const join: Join = { ciSystem: 'gitea', scope, labels: ['linux'], idleSeconds: 300, standsBy: true };
const jobKey = 'gitea/1/8/1';

/** A pool in which these agents stand by, oldest first. Each can be summoned once. */
function makeDeps(standing: readonly string[], taken: readonly string[] = []) {
  const asked: string[] = [];
  const summoned = new Map(taken.map((launchId) => [launchId, 'gitea/1/7/1']));
  return {
    asked,
    summoned,
    launches: {
      listStandby: async (poolKey: string) => {
        asked.push(poolKey);
        return [...standing];
      },
    },
    registrations: {
      summon: async (launchId: string, key: string) => {
        if (!summoned.has(launchId)) summoned.set(launchId, key);
        return summoned.get(launchId) === key;
      },
    },
    nowEpochMs: () => 0,
  };
}

test('the oldest agent of the pool is summoned, and no other', async () => {
  const deps = makeDeps(['first', 'second']);

  expect(await summonAgent(deps, join, jobKey)).toBe('first');
  expect([...deps.summoned]).toEqual([['first', jobKey]]);
  expect(deps.asked).toEqual([poolKeyOf(join)]);
});

test('an agent that another job has summoned is passed over', async () => {
  const deps = makeDeps(['first', 'second'], ['first']);

  expect(await summonAgent(deps, join, jobKey)).toBe('second');
});

test('a pool without an agent that stands by has none to summon', async () => {
  expect(await summonAgent(makeDeps([]), join, jobKey)).toBeUndefined();
});

test('a pool without warm agents is not asked', async () => {
  const { standsBy: _standsBy, ...cold } = join;
  const deps = makeDeps(['first']);

  expect(await summonAgent(deps, cold, jobKey)).toBeUndefined();
  expect(deps.asked).toEqual([]);
});

test('a table that does not answer summons none, and is no error: the job has a launch of its own', async () => {
  const deps = makeDeps(['first']);
  deps.registrations.summon = async () => {
    throw new TransientError('StoreUnavailable', 'DynamoDB: throttled');
  };

  expect(await summonAgent(deps, join, jobKey)).toBeUndefined();
});

test('a defect is none that a repeat would mend', async () => {
  const deps = makeDeps(['first']);
  deps.launches.listStandby = async () => {
    throw new TypeError('a defect');
  };

  await expect(summonAgent(deps, join, jobKey)).rejects.toThrow(TypeError);
});
