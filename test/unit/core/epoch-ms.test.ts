import { isoTime } from '../../../core/epoch-ms.ts';

test('a moment is written in UTC with its milliseconds', () => {
  expect(isoTime(1_767_225_600_007)).toBe('2026-01-01T00:00:00.007Z');
});

test('a moment that no Date can hold is an error', () => {
  expect(() => isoTime(8.64e15 + 1)).toThrow(RangeError);
});
