import { createRateMeter, type RateMeter } from '../../../ci/rate-meter.ts';

const secondaryLimit = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
const abuse = 'You have triggered an abuse detection mechanism. Please wait a few minutes before you try again.';

let now: number;
let meter: RateMeter;

beforeEach(() => {
  now = Date.parse('2026-11-22T12:00:00Z');
  meter = createRateMeter(() => now);
});

function heed(status: number, headers: Record<string, string>, credential = 'acme', words = ''): void {
  meter.heed(credential, { status, header: (name) => headers[name], words });
}

function windowAt(left: number, resetsInSeconds: number, limit = 5000): Record<string, string> {
  return {
    'x-ratelimit-limit': `${limit}`,
    'x-ratelimit-remaining': `${left}`,
    'x-ratelimit-reset': `${now / 1000 + resetsInSeconds}`,
  };
}

test('every request counts', () => {
  meter.begin('one');
  meter.begin('two');

  expect(meter.usage()).toEqual({ requests: 2 });
});

test("the latest answer with a time says how far the CI system's clock is ahead", () => {
  heed(200, { date: 'Sun, 22 Nov 2026 12:05:00 GMT' });
  const ahead = meter.usage();
  heed(200, { date: 'Sun, 22 Nov 2026 11:58:29 GMT' });
  heed(200, { date: 'soon' });
  heed(200, {});

  expect(ahead).toEqual({ requests: 0, clockAheadMs: 300_500 });
  expect(meter.usage()).toEqual({ requests: 0, clockAheadMs: -90_500 });
});

test('the scarcest window of all answers counts until it ends', () => {
  heed(200, windowAt(4000, 600), 'acme');
  heed(200, windowAt(100, 300), 'other');
  const both = meter.usage();

  now += 300_000;

  expect(both.limit).toEqual({ requests: 5000, left: 100, resetsAtEpochMs: now });
  expect(meter.usage().limit?.left).toBe(4000);
});

test("a window ends by the CI system's clock", () => {
  heed(200, { ...windowAt(4000, 2400), date: 'Sun, 22 Nov 2026 12:30:00 GMT' });

  expect(meter.usage().limit?.resetsAtEpochMs).toBe(now + 2_400_000 - 1_800_500);
});

test.each([
  ['no headers', {}],
  ['half of them', { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4000' }],
  ['no numbers', { 'x-ratelimit-limit': 'x', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '2' }],
])('an answer with %s names no window', (_what, headers) => {
  heed(200, headers);

  expect(meter.usage()).toEqual({ requests: 0 });
});

describe('a pause', () => {
  test.each([
    ['429 and seconds', 429, { 'retry-after': '30' }, 30],
    ['403 and seconds', 403, { 'retry-after': '30' }, 30],
    ['503 and a date', 503, { 'retry-after': 'Sun, 22 Nov 2026 12:00:45 GMT' }, 45],
    ['more than an hour', 429, { 'retry-after': '86400' }, 3600],
  ])('is as long as %s ask for, and an hour at most', (_what, status, headers, seconds) => {
    heed(status, headers);

    expect(() => meter.begin('github: GET /orgs')).toThrow(
      /^CiUnavailable: github: GET \/orgs: the CI system accepts no requests/,
    );
    expect(meter.usage()).toEqual({ requests: 0, pausedUntilEpochMs: now + seconds * 1000 });
    now += seconds * 1000;
    expect(() => meter.begin('GET')).not.toThrow();
    expect(meter.usage()).toEqual({ requests: 1 });
  });

  test('lasts until the exhausted window ends', () => {
    heed(403, windowAt(0, 120));

    expect(meter.usage().pausedUntilEpochMs).toBe(now + 120_000);
  });

  test.each([
    ['429 that says no more', 429, {}, ''],
    ['429 with an invalid date', 429, { 'retry-after': 'soon' }, ''],
    ["403 that names GitHub's secondary limit", 403, windowAtOnce(), secondaryLimit],
    ["403 in the words of an older GitHub's abuse detection", 403, {}, abuse],
  ])('lasts a minute after %s', (_what, status, headers, words) => {
    heed(status, headers, 'acme', words);

    expect(meter.usage().pausedUntilEpochMs).toBe(now + 60_000);
  });

  test('without a given length doubles while the secondary limit goes on, up to an hour', () => {
    const minutes = [1, 2, 4, 8, 16, 32, 60, 60].map((each) => {
      heed(403, {}, 'acme', secondaryLimit);
      const until = meter.usage().pausedUntilEpochMs ?? 0;
      expect(until - now).toBe(each * 60_000);
      now = until;
      return each;
    });

    heed(200, {});
    heed(403, {}, 'acme', secondaryLimit);

    expect(minutes).toHaveLength(8);
    expect(meter.usage().pausedUntilEpochMs).toBe(now + 60_000);
  });

  test.each([
    ['the seconds that are left of its window', { 'ratelimit-remaining': '0', 'ratelimit-reset': '42' }, 42_000],
    ['less than a second', { 'ratelimit-remaining': '0', 'ratelimit-reset': '0' }, 1000],
  ])('after 429 of Buildkite lasts %s', (_what, headers, pauseMs) => {
    heed(429, headers);

    expect(meter.usage().pausedUntilEpochMs).toBe(now + pauseMs);
  });

  test("begins with the last answer in GitLab's window, and lasts until it ends", () => {
    const answered = (left: number) => ({ 'ratelimit-remaining': `${left}`, 'ratelimit-reset': `${now / 1000 + 20}` });
    heed(200, answered(1));
    const before = meter.usage().pausedUntilEpochMs;
    heed(200, answered(0));

    expect([before, meter.usage().pausedUntilEpochMs]).toEqual([undefined, now + 20_000]);
  });

  test('does not follow from the last request that one endpoint of Buildkite takes in a second', () => {
    heed(200, { 'ratelimit-remaining': '0', 'ratelimit-reset': '1' });

    expect(() => meter.begin('GET')).not.toThrow();
  });

  test('is not lengthened or forgotten by answers to requests that began before it', () => {
    heed(403, {}, 'acme', secondaryLimit);
    heed(403, {}, 'acme', secondaryLimit);
    heed(200, {});
    const first = meter.usage().pausedUntilEpochMs;
    now += 60_000;

    heed(403, {}, 'acme', secondaryLimit);

    expect(first).toBe(now);
    expect(meter.usage().pausedUntilEpochMs).toBe(now + 120_000);
  });

  test('is not shortened by the answer to a request that began before it', () => {
    heed(403, windowAt(0, 1200));

    heed(503, { 'retry-after': '1' });

    expect(meter.usage().pausedUntilEpochMs).toBe(now + 1_200_000);
  });

  test.each([
    ['an exhausted window that is over by our clock', () => windowAt(0, -5)],
    ['Retry-After: 0', () => ({ 'retry-after': '0' })],
  ])('lasts a minute after 403 with %s', (_what, headersOf) => {
    heed(403, headersOf());

    expect(meter.usage().pausedUntilEpochMs).toBe(now + 60_000);
  });

  test.each([
    ['403 that is a missing permission', 403, windowAtOnce()],
    ['200 of a system that always sends it', 200, { 'retry-after': '30' }],
  ])('does not follow from %s', (_what, status, headers) => {
    heed(status, headers);

    expect(() => meter.begin('GET')).not.toThrow();
  });
});

function windowAtOnce(): Record<string, string> {
  return { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': '4102444800' };
}
