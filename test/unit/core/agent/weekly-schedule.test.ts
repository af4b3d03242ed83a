import * as fc from 'fast-check';
import { isWithin, Weekday, WeeklySchedule } from '../../../../core/agent/weekly-schedule.ts';

const office: WeeklySchedule = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '07:00',
  to: '19:00',
  timeZone: 'Europe/Berlin',
};
const night: WeeklySchedule = { days: ['fri'], from: '22:00', to: '06:00', timeZone: 'Europe/Berlin' };

test.each([
  { at: '2026-11-23T05:59:59Z', isIn: false, why: 'a Monday before 07:00' },
  { at: '2026-11-23T06:00:00Z', isIn: true, why: 'a Monday, 07:00' },
  { at: '2026-11-23T17:59:59Z', isIn: true, why: 'a Monday before 19:00' },
  { at: '2026-11-23T18:00:00Z', isIn: false, why: 'a Monday, 19:00' },
  { at: '2026-11-22T12:00:00Z', isIn: false, why: 'a Sunday' },
  { at: '2026-07-01T05:00:00Z', isIn: true, why: '07:00 in summer' },
])('office hours at $at, $why: $isIn', ({ at, isIn }) => {
  expect(isWithin(office, Date.parse(at))).toBe(isIn);
});

test.each([
  { at: '2026-11-27T20:59:00Z', isIn: false, why: 'Friday, 21:59' },
  { at: '2026-11-27T21:00:00Z', isIn: true, why: 'Friday, 22:00' },
  { at: '2026-11-28T04:59:00Z', isIn: true, why: 'Saturday, 05:59' },
  { at: '2026-11-28T05:00:00Z', isIn: false, why: 'Saturday, 06:00' },
  { at: '2026-11-28T21:00:00Z', isIn: false, why: 'Saturday, 22:00' },
  { at: '2026-11-27T02:00:00Z', isIn: false, why: 'Friday, 03:00: that night began on Thursday' },
])('the night of Friday at $at, $why: $isIn', ({ at, isIn }) => {
  expect(isWithin(night, Date.parse(at))).toBe(isIn);
});

test.each([
  { at: '2026-03-29T00:59:59Z', isIn: false, why: '01:59, before the clocks go forward' },
  { at: '2026-03-29T01:00:00Z', isIn: false, why: '03:00 at once: the hour is skipped' },
  { at: '2026-10-25T00:00:00Z', isIn: true, why: '02:00 for the first time' },
  { at: '2026-10-25T01:30:00Z', isIn: true, why: '02:30 for the second time' },
  { at: '2026-10-25T02:00:00Z', isIn: false, why: '03:00, after the clocks went back' },
])('the hour of the clock change at $at, $why: $isIn', ({ at, isIn }) => {
  const hour: WeeklySchedule = { days: ['sun'], from: '02:00', to: '03:00', timeZone: 'Europe/Berlin' };

  expect(isWithin(hour, Date.parse(at))).toBe(isIn);
});

test('a schedule of any hours follows the clocks of Berlin over both changes of 2026', () => {
  const summer = [Date.parse('2026-03-29T01:00:00Z'), Date.parse('2026-10-25T01:00:00Z')] as const;
  const week: Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const minute = fc.integer({ min: 0, max: 1439 });
  const near = fc
    .constantFrom(...summer)
    .chain((change) => fc.integer({ min: -172_800, max: 172_800 }).map((s) => change + s * 1000));
  const any = fc.integer({ min: Date.parse('2026-01-02T00:00:00Z'), max: Date.parse('2026-12-30T00:00:00Z') });
  fc.assert(
    fc.property(fc.oneof(near, any), minute, minute, fc.constantFrom(...week), (at, from, to, day) => {
      const isSummer = summer[0] <= at && at < summer[1];
      const clock = new Date(at + (isSummer ? 7_200_000 : 3_600_000));
      const sinceFrom = (((clock.getUTCHours() * 60 + clock.getUTCMinutes() - from) % 1440) + 1440) % 1440;
      const length = to > from ? to - from : to + 1440 - from;
      const begunOn = new Date(clock.getTime() - sinceFrom * 60_000).getUTCDay();

      const schedule = { days: [day], from: text(from), to: text(to), timeZone: 'Europe/Berlin' };

      expect(isWithin(schedule, at)).toBe(sinceFrom < length && week[begunOn] === day);
    }),
  );
});

const fromRule = 'expected a time between 00:00 and 23:59, such as 07:00';
const toRule = 'expected a time between 00:00 and 24:00, such as 19:00';
const zoneRule = 'expected the name of a time zone, such as Europe/Berlin';
test.each<[key: keyof WeeklySchedule, value: string, message: string]>([
  ['from', '7:00', fromRule],
  ['from', '24:00', fromRule],
  ['from', '007:00', fromRule],
  ['from', '07:000', fromRule],
  ['from', '07:60', fromRule],
  ['from', '27:00', fromRule],
  ['to', '24:01', toRule],
  ['to', '019:00', toRule],
  ['to', '19:000', toRule],
  ['timeZone', 'Europe/Atlantis', zoneRule],
  ['timeZone', '', zoneRule],
])('%s refuses %j with what was expected', (key, value, message) => {
  expect(WeeklySchedule.safeParse({ ...office, [key]: value }).error?.issues).toMatchObject([{ message, path: [key] }]);
});

test.each([[[]], [['monday']]])('the days cannot be %j', (days) => {
  expect(WeeklySchedule.safeParse({ ...office, days }).success).toBe(false);
});

test('a day can be written as from 00:00 to 24:00', () => {
  const day = WeeklySchedule.parse({ days: ['sun'], from: '00:00', to: '24:00', timeZone: 'UTC' });

  expect(isWithin(day, Date.parse('2026-11-22T00:00:00Z'))).toBe(true);
  expect(isWithin(day, Date.parse('2026-11-22T23:59:59Z'))).toBe(true);
  expect(isWithin(day, Date.parse('2026-11-23T00:00:00Z'))).toBe(false);
});

function text(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
