import * as z from '../zod.ts';

/** The days of the week, as schedules name them. */
export const Weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);
export type Weekday = z.infer<typeof Weekday>;

const TimeOfDay = z
  .string()
  .check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time between 00:00 and 23:59, such as 07:00'));

const EndOfDay = z
  .string()
  .check(z.regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'expected a time between 00:00 and 24:00, such as 19:00'));

const TimeZone = z
  .string()
  .check(
    z.refine(isTimeZone, { error: 'expected the name of a time zone, such as Europe/Berlin' }),
    z.describe('The time zone of the times, such as Europe/Berlin. Its clock changes count'),
  );

/** Hours that come back each week, by the clocks of a time zone. */
export const WeeklySchedule = z.strictObject({
  days: z.array(Weekday).check(z.minLength(1), z.describe('The days on which the hours begin')),
  from: z.described(TimeOfDay, 'When they begin, such as 07:00'),
  to: z.described(
    EndOfDay,
    'When they end, such as 19:00. A time that is not after `from` is on the next day; 24:00 is midnight',
  ),
  timeZone: TimeZone,
});
export type WeeklySchedule = z.infer<typeof WeeklySchedule>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/**
 * Says whether a moment is in a schedule's hours, by the clocks of its time zone. An hour that the clocks skip is in no
 * schedule, and one that they repeat counts twice.
 */
export function isWithin({ days, from, to, timeZone }: WeeklySchedule, epochMs: number): boolean {
  const { day, minute } = clockIn(timeZone, epochMs);
  const [begin, end] = [minuteOf(from), minuteOf(to)];
  if (begin < end) return days.includes(day) && begin <= minute && minute < end;
  return (days.includes(day) && minute >= begin) || (days.includes(dayBefore(day)) && minute < end);
}

/** Reads the clocks of a time zone. */
function clockIn(timeZone: string, epochMs: number): { day: Weekday; minute: number } {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(epochMs);
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  return {
    day: Weekday.parse(part('weekday').toLowerCase()),
    minute: Number(part('hour')) * 60 + Number(part('minute')),
  };
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function dayBefore(day: Weekday): Weekday {
  const days = Weekday.options;
  return days.at(days.indexOf(day) - 1) ?? day;
}
