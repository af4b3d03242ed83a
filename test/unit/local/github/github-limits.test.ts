import { RateCounter } from '../../../../local/github/github-limits.ts';

let nowEpochMs = 0;
const counterOf = (requestsAnHour: number) => new RateCounter({ requestsAnHour, nowEpochMs: () => nowEpochMs });

beforeEach(() => {
  nowEpochMs = Date.parse('2026-11-25T10:00:00Z');
});

test('a credential has its requests of an hour, and an answer that nothing has changed costs none', () => {
  const counter = counterOf(2);
  const first = counter.begin('GET');
  const free = counter.begin('GET');
  counter.unchanged();
  const second = counter.begin('GET');
  const refused = counter.begin('GET');
  nowEpochMs += 3_600_000;

  expect([first, free, second].map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
  expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
  expect(refused.refusal).toMatchObject({ status: 403 });
  expect(refused.headers['x-ratelimit-remaining']).toBe('0');
  expect(counter.begin('GET').refusal).toBeUndefined();
});

test('a minute has 900 points: 180 writes, and then a pause until it is over', () => {
  const counter = counterOf(15_000);
  const writes = Array.from({ length: 180 }, () => counter.begin('POST'));
  nowEpochMs += 20_000;
  const refused = counter.begin('POST');
  nowEpochMs += 40_000;

  expect(writes.every(({ refusal }) => refusal === undefined)).toBe(true);
  expect(refused).toMatchObject({
    refusal: { status: 403, body: { message: 'You have exceeded a secondary rate limit' } },
    headers: { 'retry-after': '40' },
  });
  expect(counter.begin('POST').refusal).toBeUndefined();
});
