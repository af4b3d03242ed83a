import { turnsOf } from '../../prove/bench/size.ts';
import { takeTurns } from '../../prove/bench/take-turns.ts';

const unhurried = Number.POSITIVE_INFINITY;

test('samples are counted from 1', () => {
  expect([...turnsOf({ samples: 3, forSeconds: unhurried })]).toEqual([1, 2, 3]);
});

test('a machine that is too slow takes one sample', () => {
  expect([...turnsOf({ samples: 3, forSeconds: 0 })]).toEqual([1]);
});

test('zero samples make no turns', () => {
  expect([...turnsOf({ samples: 0, forSeconds: unhurried })]).toEqual([]);
});

test('contenders take turns, and a different one goes first in each round', async () => {
  const seen: string[] = [];
  const contender = (name: string) => async () => void seen.push(name);

  await takeTurns({ samples: 4, forSeconds: unhurried }, ['a', 'b', 'c'].map(contender), (round) =>
    seen.push(`${round}`),
  );

  expect(seen.join(' ')).toBe('a b c 1 b c a 2 c a b 3 a b c 4');
});

test('a contender that fails ends the rounds', async () => {
  const fails = async () => {
    throw new Error('the cluster is away');
  };

  await expect(takeTurns({ samples: 2, forSeconds: unhurried }, [fails])).rejects.toThrow('the cluster is away');
});
