import * as fc from 'fast-check';
import { inTurns } from '../../../core/turns.ts';

/** Takes turns for some rounds, each of which has room for `room` things. @returns what each round took */
function rounds(things: readonly string[], room: number, count: number): string[][] {
  let after: string | undefined;
  return Array.from({ length: count }, () => {
    const turns = inTurns(things, (thing) => thing, after);
    const taken = turns.things.slice(0, room);
    for (const thing of taken) turns.taken(thing);
    after = turns.next();
    return taken;
  });
}

test('a round goes on where the last one ended, and begins anew after the last thing', () => {
  expect(rounds(['b', 'a', 'c', 'e', 'd'], 2, 4)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'a'],
    ['b', 'c'],
  ]);
});

test('a round with room for all begins with the first', () => {
  expect(rounds(['b', 'a'], 2, 2)).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
});

test('a round that takes none moves nothing', () => {
  const turns = inTurns(['a', 'b'], (thing) => thing, 'a');

  expect([turns.things, turns.next()]).toEqual([['b', 'a'], 'a']);
});

test('each thing has its turn within as many rounds as have room for all', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.integer({ min: 1, max: 9 }), (things, room) => {
      const taken = rounds(things, room, Math.ceil(things.length / room)).flat();

      expect(new Set(taken)).toEqual(new Set(things));
    }),
  );
});
