import { AnswerDeadline } from '../../../../runtime/http/answer-deadline.ts';

const receivedAtEpochMs = 1_780_308_000_000;

/** How long a function repeats what fails that begins so long after the request was received. */
function remainingAfter(beganAfterMs: number): number {
  const nowEpochMs = () => receivedAtEpochMs + beganAfterMs;
  const deadline = new AnswerDeadline({ retryMs: 2500, nowEpochMs });
  return deadline.run({ receivedAtEpochMs }, () => deadline.remainingMs());
}

test.each([
  ['at once', 0, 2500],
  ['a moment later', 400, 2100],
  ['too late', 4000, -1500],
  ['before the request, by its clock', -5000, 2500],
])('a function that begins %s', (_title, beganAfterMs, expected) => {
  expect(remainingAfter(beganAfterMs)).toBe(expected);
});

test('the time of a request passes, and that of another one does not', async () => {
  let now = receivedAtEpochMs;
  const deadline = new AnswerDeadline({ retryMs: 2500, nowEpochMs: () => now });
  const gate = Promise.withResolvers<void>();
  const answer = async () => {
    await gate.promise;
    return deadline.remainingMs();
  };

  const first = deadline.run({ receivedAtEpochMs }, answer);
  now += 600;
  const second = deadline.run({ receivedAtEpochMs: now }, answer);
  now += 100;
  gate.resolve();

  expect([await first, await second]).toEqual([1800, 2400]);
});

test('outside of a request nobody waits', () => {
  const deadline = new AnswerDeadline({ retryMs: 2500, nowEpochMs: Date.now });

  expect(deadline.remainingMs()).toBe(Infinity);
});
