import { listsInRound } from '../../../../core/ci/lists-in-turns.ts';

test.each([
  { what: 'a token: half of its 20 requests', limit: 4800, hasDeliveries: false, lists: 10 / 3 },
  { what: 'an App: a third of them', limit: 4800, hasDeliveries: true, lists: 7 / 3 },
  { what: 'a large limit: half of 450 in a round', limit: 480_000, hasDeliveries: false, lists: 75 },
])('a round reads as many lists as its budget has room for ($what)', ({ limit, hasDeliveries, lists }) => {
  expect(listsInRound({ limit, share: 0.25, requestsOfList: 3, hasDeliveries })).toBeCloseTo(lists, 10);
});

test('a round reads any number of lists of a CI system without a limit', () => {
  expect(listsInRound({ share: 0.25, requestsOfList: 1, hasDeliveries: false })).toBe(Infinity);
});
