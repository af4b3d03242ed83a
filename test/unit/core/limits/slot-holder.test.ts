import { holderOf, LaunchSlots } from '../../../../core/limits/slot-holder.ts';

test('a slot is held by a launch and the attempt to make it', () => {
  expect(holderOf('github-1-2-1', { attempt: 'a1' })).toBe('github-1-2-1/a1');
});

test("a reader of a launch's slots gets all that was written", () => {
  const slots = { attempt: 'a1', limits: ['profile/linux'] };

  expect(LaunchSlots.parse(slots)).toEqual(slots);
});
