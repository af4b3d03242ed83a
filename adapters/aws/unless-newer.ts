import { clockSetBackMs } from '../../core/clock-set-back.ts';

/**
 * The condition of a write that must not replace a newer one. A time of the far future was stored before somebody set the
 * clock back.
 *
 * @param stored the stored attribute, absent before the first write
 * @param time of that attribute. @default the attribute itself
 */
export function unlessNewer(stored: string, time = stored): string {
  return `attribute_not_exists(${stored}) OR ${time} <= :at OR ${time} > :future`;
}

/** The values of that condition. */
export function writtenAt(atEpochMs: number): { ':at': number; ':future': number } {
  return { ':at': atEpochMs, ':future': atEpochMs + clockSetBackMs };
}
