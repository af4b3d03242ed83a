import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { coveredMs, summarise } from '../../bench/statistics.ts';

describe('summarise', () => {
  test('of a hundred samples it says those at the shares, in whatever order they come', () => {
    const samples = Array.from({ length: 100 }, (_, index) => 100 - index);

    expect(summarise(samples)).toEqual({ samples: 100, p25: 25, p50: 50, p75: 75, p99: 99 });
  });

  test('of one sample everything is that sample', () => {
    expect(summarise([7])).toEqual({ samples: 1, p25: 7, p50: 7, p75: 7, p99: 7 });
  });

  test('of nothing it says nothing', () => {
    expect(() => summarise([])).toThrow(new RangeError('there are no samples'));
  });

  test('each quantile is a sample, and none is above a later one', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true }), { minLength: 1 }), (samples) => {
        const { p25, p50, p75, p99 } = summarise(samples);

        expect(samples).toEqual(expect.arrayContaining([p25, p50, p75, p99]));
        expect([p25 <= p50, p50 <= p75, p75 <= p99]).toEqual([true, true, true]);
      }),
    );
  });

  test('the samples are left as they were', () => {
    const samples = [3, 1, 2];

    summarise(samples);

    expect(samples).toEqual([3, 1, 2]);
  });
});

describe('coveredMs', () => {
  const within = { startEpochMs: 100, endEpochMs: 200 };
  const interval = (startEpochMs: number, endEpochMs: number) => ({ startEpochMs, endEpochMs });

  test.each([
    ['nothing', [], 0],
    ['one within', [interval(110, 130)], 20],
    ['two that overlap count once', [interval(110, 130), interval(120, 140)], 30],
    ['one inside another counts once', [interval(110, 150), interval(120, 130)], 40],
    ['whatever order they come in', [interval(150, 160), interval(110, 120)], 20],
    ['only what is within counts', [interval(0, 110), interval(190, 300)], 20],
    ['what is over before counts nothing', [interval(0, 50)], 0],
    ['what begins after counts nothing', [interval(250, 300)], 0],
    ['one that covers all', [interval(0, 1000), interval(120, 130)], 100],
  ])('%s', (_, intervals, expected) => {
    expect(coveredMs(intervals, within)).toBe(expected);
  });
});
