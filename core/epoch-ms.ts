import * as z from './zod.ts';

/** A moment, in milliseconds since 1970-01-01T00:00:00Z. */
export const EpochMs = z.int().check(z.positive());

/**
 * Writes a moment in ISO 8601, in UTC: `2026-01-01T00:00:00.000Z`.
 *
 * @throws RangeError when it is outside of what a Date can hold
 */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
