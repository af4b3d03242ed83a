import { SweepRun } from '../../../../functions/sweep/sweep-run.ts';
import { TestClock } from '../../../support/test-clock.ts';

const limits = { findMs: 1000, totalMs: 2000, things: 2, atATime: 1 };

function started() {
  const clock = new TestClock(1_780_308_000_000);
  return { clock, run: new SweepRun(limits, clock.nowEpochMs) };
}

describe('the time of a sweep', () => {
  test.each([
    { afterMs: 999, mayFind: true, mayTake: true, complete: true },
    { afterMs: 1000, mayFind: false, mayTake: true, complete: false },
    { afterMs: 1999, mayFind: false, mayTake: true, complete: false },
    { afterMs: 2000, mayFind: false, mayTake: false, complete: false },
  ])('after $afterMs ms lets it find: $mayFind, act: $mayTake', ({ afterMs, mayFind, mayTake, complete }) => {
    const { clock, run } = started();
    clock.advance(afterMs);

    const may = { mayFind: run.mayFind(), mayTake: run.mayTake() };

    expect(may).toEqual({ mayFind, mayTake });
    expect(run.report(false, [])).toMatchObject({ complete, left: mayTake ? 0 : 1 });
  });

  test('that was over once makes the sweep incomplete, whatever it finds later', () => {
    const { clock, run } = started();
    clock.advance(1000);
    run.mayFind();
    clock.advance(-1000);

    expect(run.mayFind()).toBe(true);
    expect(run.report(false, []).complete).toBe(false);
  });
});

test('a sweep acts on its number of findings, and counts the others as left', () => {
  const { run } = started();

  const taken = [1, 2, 3, 4].map(() => run.mayTake());

  expect(taken).toEqual([true, true, false, false]);
  expect(run.report(false, [])).toMatchObject({ complete: false, left: 2 });
});

test.each([
  { thrown: new Error('no answer'), message: 'no answer' },
  { thrown: 'no answer', message: 'no answer' },
])('a part that throws $thrown is reported in its words', async ({ thrown, message }) => {
  const { run } = started();

  const result = await run.attempt('the launches', async () => Promise.reject(thrown));

  expect(result).toBeUndefined();
  expect(run.report(false, [])).toMatchObject({ complete: false, errors: [{ subject: 'the launches', message }] });
});
