import { warmPauseOf } from '../../../../core/agent/warm-pause.ts';
import { agentExited, type LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { endingOf, epochMs, recordOf } from '../../../contract/launch-fixtures.ts';

const minuteMs = 60_000;

function ended(atMinutes: number, overrides: Partial<LaunchRecord> = {}): LaunchRecord {
  const ending = {
    ...endingOf({ outcome: 'failed', code: 'ImagePullFailed' }),
    atEpochMs: epochMs + atMinutes * minuteMs,
  };
  return recordOf(`warm-${atMinutes}`, { status: 'failed', ending, ...overrides });
}

function exited(atMinutes: number, overrides: Partial<LaunchRecord> = {}): LaunchRecord {
  const ending = {
    ...endingOf({ outcome: 'terminated', code: 'Terminated', by: agentExited }),
    atEpochMs: epochMs + atMinutes * minuteMs,
  };
  return recordOf(`warm-${atMinutes}`, { status: 'terminated', ending, ...overrides });
}

const runs = { jobKey: 'gitea/1/8/1', sinceEpochMs: epochMs };
/** Requested just now, in the fixture's time. */
const live = recordOf('warm-live', { status: 'connected', requestedAtEpochMs: epochMs + 200 * minuteMs });
const now = epochMs + 201 * minuteMs;
const untilMinute = (minute: number) => epochMs + minute * minuteMs;

/** The agent was summoned and asked at this minute. */
function registeredAt(minute: number): Partial<LaunchRecord> {
  const atEpochMs = epochMs + minute * minuteMs;
  return {
    standby: { sinceEpochMs: epochMs, summons: { jobKey: runs.jobKey, atEpochMs } },
    registration: { nonce: 'n', begunAtEpochMs: atEpochMs, count: 1 },
  };
}

describe('a pool gets no warm agent', () => {
  test('for five minutes after one has failed, or has exited with code 0 without a job', () => {
    expect(warmPauseOf([ended(10)], now)).toMatchObject({ failures: 1, untilEpochMs: untilMinute(15) });
    expect(warmPauseOf([exited(10)], now)).toMatchObject({ failures: 1, untilEpochMs: untilMinute(15) });
  });

  test('for twice as long after each further one, up to an hour, although newer ones still live', () => {
    expect(warmPauseOf([exited(0), exited(6), live], now)).toMatchObject({
      failures: 2,
      untilEpochMs: untilMinute(16),
    });
    expect(
      warmPauseOf(
        [0, 6, 17, 38, 79].map((minute) => exited(minute)),
        now,
      ),
    ).toMatchObject({ failures: 5, untilEpochMs: untilMinute(139) });
  });

  test('while one that was requested after the pause has not lived for five minutes', () => {
    const old = { ...live, requestedAtEpochMs: epochMs + 195 * minuteMs };

    expect(warmPauseOf([exited(0), live], now)).toMatchObject({ isTried: true });
    expect(warmPauseOf([exited(0)], now)).toMatchObject({ isTried: false });
    expect(warmPauseOf([exited(0), old], now)).toBeUndefined();
  });

  test('for five minutes after a summoned one whose runner exits at once', () => {
    expect(warmPauseOf([exited(10, registeredAt(9))], now)).toMatchObject({ failures: 1 });
  });

  test('for one pause after several that failed together', () => {
    expect(warmPauseOf([ended(10), ended(10.2), exited(11)], now)).toMatchObject({
      failures: 1,
      untilEpochMs: untilMinute(16),
    });
  });
});

describe('no pause follows', () => {
  test.each<[what: string, latest: LaunchRecord[]]>([
    ['no warm launch', []],
    ['agents that live', [live]],
    ['an agent that ran a job', [exited(10, { runs })]],
    ['failures before an agent that ran a job', [exited(0), exited(6), exited(10, { runs })]],
    ['an agent that davit retired', [exited(10, { retiring: { reason: 'surplus', sinceEpochMs: epochMs } })]],
    [
      'an agent that a person ended',
      [ended(10, { status: 'terminated', ending: endingOf({ outcome: 'terminated' }) })],
    ],
    ['a summoned agent whose runner was taken out after two minutes without a job', [exited(10, registeredAt(8))]],
  ])('%s', (_what, latest) => {
    expect(warmPauseOf(latest, now)).toBeUndefined();
  });
});
