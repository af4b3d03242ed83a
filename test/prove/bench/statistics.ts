/** A summary of many samples. */
export interface Summary {
  samples: number;
  p50: number;
  /** The spread: half of the samples are between these two. */
  p25: number;
  p75: number;
  p95: number;
  p99: number;
}

/** @throws RangeError for no samples */
export function summarise(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((one, other) => one - other);
  const at = (share: number) => quantile(sorted, share);
  return { samples: sorted.length, p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95), p99: at(0.99) };
}

/** The smallest sample that at least this share of the samples does not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  const sample = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (sample === undefined) throw new RangeError('there are no samples');
  return sample;
}

/** A time interval. */
export interface Interval {
  startEpochMs: number;
  endEpochMs: number;
}

/** The length of the intervals' union within a window. */
export function coveredMs(intervals: readonly Interval[], within: Interval): number {
  const clipped = intervals
    .map(({ startEpochMs, endEpochMs }) => ({
      startEpochMs: Math.max(startEpochMs, within.startEpochMs),
      endEpochMs: Math.min(endEpochMs, within.endEpochMs),
    }))
    .toSorted((one, other) => one.startEpochMs - other.startEpochMs);
  let covered = 0;
  let untilEpochMs = within.startEpochMs;
  for (const { startEpochMs, endEpochMs } of clipped) {
    covered += Math.max(0, endEpochMs - Math.max(startEpochMs, untilEpochMs));
    untilEpochMs = Math.max(untilEpochMs, endEpochMs);
  }
  return covered;
}
