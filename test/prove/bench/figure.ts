import { type Summary, summarise } from './statistics.ts';

/** One side of a comparison. */
export interface Contender {
  name: string;
  value: number;
  /** The spread, if any: half of the samples are between these two. */
  low?: number;
  high?: number;
  /** The number of samples behind the median. */
  samples?: number;
}

/** The goal of a figure. A test may assert a count, but never a time or a memory size. */
export interface Goal {
  limit: string;
  value: number;
  isMet: boolean;
  of: 'count' | 'measurement';
}

/** One measurement, with its comparisons. */
export interface Figure {
  name: string;
  unit: string;
  contenders: readonly Contender[];
  goal?: Goal;
  /** A note for the reader. */
  note?: string;
}

/** The median of many samples, with their spread. */
export function median(name: string, { p50, p25, p75, samples }: Summary): Contender {
  return { name, value: p50, low: p25, high: p75, samples };
}

/** What 99 of 100 samples do not exceed. */
export function p99Of(name: string, samples: readonly number[]): Contender {
  return { name, value: summarise(samples).p99, samples: samples.length };
}

/** An upper limit as a goal. */
export function atMost(value: number, most: number, of: Goal['of'], unit = ''): Goal {
  return { limit: `≤ ${most}${unit}`, value, isMet: value <= most, of };
}

/** A lower limit as a goal. */
export function atLeast(value: number, least: number, of: Goal['of'], unit = ''): Goal {
  return { limit: `≥ ${least}${unit}`, value, isMet: value >= least, of };
}
