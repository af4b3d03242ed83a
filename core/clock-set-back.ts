/**
 * How far ahead of now a record's time is at least if somebody has set the clock back since, in milliseconds. The clocks of
 * two processes differ by less.
 */
export const clockSetBackMs = 180_000;
