import * as fc from 'fast-check';
import { coveredMs, summarise } from '../../prove/bench/statistics.ts';

describe('summarise', () => {
  test('takes the quantiles of a hundred samples in any order', () => {
    const samples = Array.from({ length: 100 }, (_, index) => 100 - index);

    expect(summarise(samples)).toEqual({ samples: 100, p25: 25, p50: 50, p75: 75, p95: 95, p99: 99 });
  });

  test('has the only sample as every quantile', () => {
    expect(summarise([7])).toEqual({ samples: 1, p25: 7, p50: 7, p75: 7, p95: 7, p99: 7 });
  });

  test('refuses an empty list of samples', () => {
    expect(() => summarise([])).toThrow(new RangeError('there are no samples'));
  });

  test('has samples as quantiles, none above a later one', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true }), { minLength: 1 }), (samples) => {
        const { p25, p50, p75, p95, p99 } = summarise(samples);

        expect(samples).toEqual(expect.arrayContaining([p25, p50, p75, p95, p99]));
        expect([p25 <= p50, p50 <= p75, p75 <= p95, p95 <= p99]).toEqual([true, true, true, true]);
      }),
    );
  });

  test('leaves the samples unchanged', () => {
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
    ['only the part within the window counts', [interval(0, 110), interval(190, 300)], 20],
    ['an interval that ends before the window counts nothing', [interval(0, 50)], 0],
    ['an interval that begins after the window counts nothing', [interval(250, 300)], 0],
    ['an interval may cover the whole window', [interval(0, 1000), interval(120, 130)], 100],
  ])('%s', (_, intervals, expected) => {
    expect(coveredMs(intervals, within)).toBe(expected);
  });
});
