import { stopRunner } from '../../../../logic/lifecycle/stop-runner.ts';

const runner = { scope: { organization: 'acme' }, runnerId: 7 };
const settleMs = 60_000;

/** @param stoppedAt what the CI system keeps; `none` for one that keeps nothing */
async function stop(stoppedAt: number | undefined | 'none', nowEpochMs: number) {
  const stopped: number[] = [];
  const keeper = stoppedAt === 'none' ? {} : { stoppedAtEpochMs: async () => stoppedAt };
  const ci = { settleMs, stopAssigning: async (_scope: object, id: number) => void stopped.push(id), ...keeper };
  return { leftMs: await stopRunner(ci, runner, nowEpochMs), stopped };
}

test.each([
  { what: 'a CI system that keeps nothing', stoppedAt: 'none', leftMs: 60_000, stopped: [7] },
  { what: 'a runner that gets jobs', stoppedAt: undefined, leftMs: 60_000, stopped: [7] },
  { what: 'a runner that was stopped a moment ago', stoppedAt: 99_000, leftMs: 59_000, stopped: [] },
  { what: 'a runner that was stopped a minute ago', stoppedAt: 40_000, leftMs: 0, stopped: [] },
  { what: 'a runner that is gone', stoppedAt: 0, leftMs: 0, stopped: [] },
  { what: 'a moment by a clock that is ahead', stoppedAt: 500_000, leftMs: 60_000, stopped: [] },
] as const)('of $what a job may appear for $leftMs ms', async ({ stoppedAt, leftMs, stopped }) => {
  expect(await stop(stoppedAt, 100_000)).toEqual({ leftMs, stopped });
});
