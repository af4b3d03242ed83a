import * as z from 'zod';
import type { Summary } from './statistics.ts';

/** One side of a comparison. */
export const Contender = z.object({
  name: z.string(),
  value: z.number(),
  /** The spread, if any: half of the samples are between these two. */
  low: z.number().optional(),
  high: z.number().optional(),
  /** The number of samples behind the median. */
  samples: z.int().optional(),
});
export type Contender = z.infer<typeof Contender>;

/** The goal of a figure. A test may assert a count, but never a time or a memory size. */
export const Goal = z.object({
  limit: z.string(),
  value: z.number(),
  isMet: z.boolean(),
  of: z.enum(['count', 'measurement']),
});
export type Goal = z.infer<typeof Goal>;

/** One measurement, with its comparisons. */
export const Figure = z.object({
  name: z.string(),
  unit: z.string(),
  contenders: z.array(Contender),
  goal: Goal.optional(),
  /** A note for the reader. */
  note: z.string().optional(),
});
export type Figure = z.infer<typeof Figure>;

/** The median of many samples, with their spread. */
export function median(name: string, { p50, p25, p75, samples }: Summary): Contender {
  return { name, value: p50, low: p25, high: p75, samples };
}

/** An upper limit as a goal. */
export function atMost(value: number, most: number, of: Goal['of'], unit = ''): Goal {
  return { limit: `≤ ${most}${unit}`, value, isMet: value <= most, of };
}

/** A lower limit as a goal. */
export function atLeast(value: number, least: number, of: Goal['of'], unit = ''): Goal {
  return { limit: `≥ ${least}${unit}`, value, isMet: value >= least, of };
}
