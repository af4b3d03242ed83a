import type { PollCiReport } from '../../../../functions/poll-ci/poll-ci.ts';
import { pollRegularly } from '../../../../local/runtime/poll-regularly.ts';

const well: PollCiReport = { polls: 1, failed: 0, queued: 0, errors: [] };
const away = { ...well, failed: 1, errors: ['jenkins is away'] };
const refused = { ...well, errors: ['job jenkins/1/2/1: refused'] };
const failure = { errorType: 'Error', errorMessage: 'out of words', trace: [] };

test('a poll follows the one before after a pause, and after a failure not too soon', async () => {
  const outcomes = [well, away, failure, refused, well].values();
  const { promise, resolve } = Promise.withResolvers<void>();
  const pausesMs: number[] = [];
  const failures: string[] = [];
  const reports: PollCiReport[] = [];

  const polls = pollRegularly({
    invoke: async () => {
      const { value, done } = outcomes.next();
      if (done === true) {
        resolve();
        return new Promise(() => {});
      }
      return value === failure
        ? { requestId: '1', functionError: 'Unhandled', payload: failure }
        : { requestId: '1', payload: value };
    },
    pauseMs: 2000,
    onPolled: (report) => reports.push(report),
    onFailed: (reason) => failures.push(reason),
    sleep: async (ms) => void pausesMs.push(ms),
  });
  await promise;
  polls[Symbol.dispose]();

  // One job that cannot be handled delays no other.
  expect(pausesMs).toEqual([2000, 10_000, 10_000, 2000, 2000]);
  expect(failures).toEqual(['Error: out of words']);
  expect(reports).toEqual([well, away, refused, well]);
});
