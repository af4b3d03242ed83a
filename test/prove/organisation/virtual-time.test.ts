import { VirtualTime } from './virtual-time.ts';

test('actions happen in the order of their seconds, those too that others cause', async () => {
  const time = new VirtualTime(10_000);
  const happened: [string, number][] = [];
  const note = (what: string) => async () => void happened.push([what, time.nowEpochMs()]);
  time.after(5000, note('later'));
  time.after(2000, async () => {
    await note('first')();
    time.after(1000, note('caused'));
  });
  time.after(9000, note('too late'));

  await time.runUntil(18_000);

  expect(happened).toEqual([
    ['first', 12_000],
    ['caused', 13_000],
    ['later', 15_000],
  ]);
  expect(time.nowEpochMs()).toBe(18_000);
});

test('what is due while something takes time happens afterwards, and the clock never goes back', async () => {
  const time = new VirtualTime(10_000);
  const happened: number[] = [];
  time.after(1000, async () => time.spend(4500));
  time.after(3000, async () => void happened.push(time.nowEpochMs()));

  await time.runUntil(20_000);

  expect(happened).toEqual([15_500]);
});
