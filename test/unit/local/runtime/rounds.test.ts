import { EventEmitter, once } from 'node:events';
import { readConfig } from '../../../../core/config/read-config.ts';
import * as z from '../../../../core/zod.ts';
import { pauseAfterPoll, startOtherWork, startSweeps, untilNext } from '../../../../local/runtime/regular-work.ts';
import { type Rounds, startRounds } from '../../../../local/runtime/rounds.ts';
import { nothingFound } from '../../../support/sweep-reports.ts';

const Report = z.object({ failed: z.number() });
type Report = z.infer<typeof Report>;
const error = { errorType: 'Error', errorMessage: 'out of words', trace: [] };

/** A round: how long it takes, and its report. Without one, it fails. */
interface Round {
  tookMs?: number;
  report?: Report;
}

/** Runs these rounds, one after another. */
async function run(rounds: readonly Round[], pauseMs: Rounds<Report>['pauseMs']) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const [pausesMs, told]: [number[], unknown[]] = [[], []];
  const left = rounds.values();
  let nowMs = 0;
  using _ = startRounds({
    invoke: async () => {
      const { value, done } = left.next();
      if (done === true) {
        resolve();
        return new Promise(() => {});
      }
      const { tookMs = 0, report } = value;
      nowMs += tookMs;
      return report === undefined
        ? { requestId: '1', functionError: 'Unhandled', payload: error }
        : { requestId: '1', payload: { ...report } };
    },
    Report,
    pauseMs,
    onReport: (report) => told.push(report),
    onFailed: (reason) => told.push(reason),
    sleep: async (ms) => {
      pausesMs.push(ms);
      nowMs += ms;
    },
    nowMs: () => nowMs,
  });
  await promise;
  return { pausesMs, told };
}

const [well, badly] = [{ failed: 0 }, { failed: 1 }];

test('on a schedule, the next round begins a minute after the one before began, and when that has ended', async () => {
  const took = [1000, 30_000, 70_000, 1000].map((tookMs) => ({ tookMs, report: well }));

  expect((await run(took, untilNext(60_000))).pausesMs).toEqual([59_000, 30_000, 0, 59_000]);
});

test('a poll follows the one before after a pause, and after a failure not too soon', async () => {
  const rounds = [{ report: well }, { report: badly }, {}, { report: well }];

  expect((await run(rounds, pauseAfterPoll(2000))).pausesMs).toEqual([2000, 10_000, 10_000, 2000]);
});

test('each round is reported, and others follow one that failed', async () => {
  expect((await run([{}, { report: well }], () => 0)).told).toEqual(['Error: out of words', well]);
});

test('stopping ends the rounds, and does not report one that it interrupts', async () => {
  const events = new EventEmitter<{ began: []; over: [] }>();
  const told: unknown[] = [];
  const rounds = startRounds({
    invoke: async () => {
      events.emit('began');
      await once(events, 'over');
      return { requestId: '1', payload: well };
    },
    Report,
    pauseMs: () => 0,
    onReport: (report) => told.push(report),
    onFailed: (reason) => told.push(reason),
  });

  rounds[Symbol.dispose]();
  events.on('began', () => told.push('another one'));
  events.emit('over');
  await new Promise((wake) => setTimeout(wake, 20));

  expect(told).toEqual([]);
});

test('a probe begins on its schedule, whether or not the one before has ended', async () => {
  const { promise: threeBegan, resolve } = Promise.withResolvers<void>();
  let began = 0;
  const invoke = async () => {
    began += 1;
    if (began === 3) resolve();
    return new Promise<never>(() => {});
  };

  using _ = startOtherWork({ probeIntervalMs: 1 }, await readConfig('davit.yaml'), invoke);

  await threeBegan;
});

describe('sweeps', () => {
  /** Starts them, each a millisecond after the one before. */
  async function sweep(takesOver: boolean) {
    const events: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const invoke = async (_name: string, event: unknown) => {
      events.push(event);
      if (events.length > 1) resolve();
      return { requestId: '1', payload: { ...nothingFound } };
    };
    using _ = await startSweeps({ sweepIntervalMs: 1 }, invoke, takesOver);
    const atStart = [...events];
    await promise;
    return { atStart, next: events[1] };
  }

  test('where launches are taken over, the first one comes before all else, without grace', async () => {
    expect(await sweep(true)).toEqual({ atStart: [{ graceSeconds: 0 }], next: {} });
  });

  test('where there is nothing to take over, nobody waits for the first one, which has a grace', async () => {
    expect(await sweep(false)).toEqual({ atStart: [{}], next: {} });
    const never = startSweeps({}, () => new Promise(() => {}), false);
    (await never)[Symbol.dispose]();
  });
});
