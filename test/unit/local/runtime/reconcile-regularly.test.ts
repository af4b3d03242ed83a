import type { ReconcileReport } from '../../../../functions/reconcile/reconcile-report.ts';
import { reconcileRegularly } from '../../../../local/runtime/reconcile-regularly.ts';

const report = { complete: true, seen: [], repairs: [], refused: [], errors: [] } satisfies ReconcileReport;
const failure = { errorType: 'Error', errorMessage: 'out of words', trace: [] };

/** Runs reconciles that take so long each, until there are no more. A failing one takes no time. */
async function reconcileFor(tookMs: readonly number[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const pausesMs: number[] = [];
  const reported: unknown[] = [];
  const left = tookMs.values();
  let nowMs = 0;
  const reconciles = reconcileRegularly({
    invoke: async () => {
      const { value = 0, done } = left.next();
      if (done === true) {
        resolve();
        return new Promise(() => {});
      }
      nowMs += value;
      return value === 0
        ? { requestId: '1', functionError: 'Unhandled', payload: failure }
        : { requestId: '1', payload: report };
    },
    intervalMs: 60_000,
    onReconciled: (each) => reported.push(each),
    onFailed: (reason) => reported.push(reason),
    sleep: async (ms) => {
      pausesMs.push(ms);
      nowMs += ms;
    },
    nowMs: () => nowMs,
  });
  await promise;
  reconciles[Symbol.dispose]();
  return { pausesMs, reported };
}

test('the first reconcile begins at once, and each other one a minute after the one before began', async () => {
  const { pausesMs } = await reconcileFor([1000, 30_000]);

  expect(pausesMs).toEqual([59_000, 30_000]);
});

test('a reconcile that takes longer than a minute delays the next one, which begins when it has ended', async () => {
  const { pausesMs } = await reconcileFor([70_000, 1000]);

  expect(pausesMs).toEqual([0, 59_000]);
});

test('reports each reconcile, and goes on after one that failed', async () => {
  const { reported } = await reconcileFor([0, 1000]);

  expect(reported).toEqual(['Error: out of words', report]);
});
