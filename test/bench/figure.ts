import * as z from 'zod';
import type { Summary } from './statistics.ts';

/** One side of a comparison. */
export const Contender = z.object({
  name: z.string(),
  value: z.number(),
  /** The spread, where there is one: half of the samples are between these two. */
  low: z.number().optional(),
  high: z.number().optional(),
  /** How many samples the value is the middle of. */
  samples: z.int().optional(),
});
export type Contender = z.infer<typeof Contender>;

/** What a figure is to be; a count may be asserted, what was taken with a clock or a scale never. */
export const Goal = z.object({
  limit: z.string(),
  value: z.number(),
  isMet: z.boolean(),
  of: z.enum(['count', 'measurement']),
});
export type Goal = z.infer<typeof Goal>;

/** One thing that was measured, beside what it is compared with. */
export const Figure = z.object({
  name: z.string(),
  unit: z.string(),
  contenders: z.array(Contender),
  goal: Goal.optional(),
  /** What a reader has to know of it. */
  note: z.string().optional(),
});
export type Figure = z.infer<typeof Figure>;

/** The middle of many samples, with their spread. */
export function median(name: string, { p50, p25, p75, samples }: Summary): Contender {
  return { name, value: p50, low: p25, high: p75, samples };
}

/** A goal that is a most. */
export function atMost(value: number, most: number, of: Goal['of'], unit = ''): Goal {
  return { limit: `≤ ${most}${unit}`, value, isMet: value <= most, of };
}

/** A goal that is a least. */
export function atLeast(value: number, least: number, of: Goal['of'], unit = ''): Goal {
  return { limit: `≥ ${least}${unit}`, value, isMet: value >= least, of };
}
