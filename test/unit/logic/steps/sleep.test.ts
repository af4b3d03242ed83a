import { setImmediate } from 'node:timers/promises';
import { sleepUnlessAborted } from '../../../../logic/steps/sleep.ts';

const hourMs = 3_600_000;

test('a sleep ends when its signal is aborted', async () => {
  const over = new AbortController();

  let isAwake = false;
  const sleep = sleepUnlessAborted(hourMs, over.signal).then(() => (isAwake = true));
  await setImmediate();
  const before = isAwake;
  over.abort();
  await sleep;

  expect({ before, isAwake }).toEqual({ before: false, isAwake: true });
});

test('an error that is no abort is passed on', async () => {
  const noSignal = { aborted: false } as AbortSignal;

  await expect(sleepUnlessAborted(1, noSignal)).rejects.toThrow(TypeError);
});

test('a sleep whose signal is already aborted does not begin', async () => {
  await expect(sleepUnlessAborted(hourMs, AbortSignal.abort())).resolves.toBeUndefined();
});
