import { describe, expect, test } from 'vitest';
import {
  afterReport,
  type ClusterReason,
  type ClusterReport,
  type ClusterState,
  connectedAt,
  describeAway,
} from '../../../../functions/domain/cluster-state.ts';
import { seededRandom } from '../../../../sandbox/seeded-random.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const cluster = 'eu-1';
const works = (atMs: number): ClusterReport => ({ cluster, kind: 'works', endedAtEpochMs: now + atMs });
const answered = (atMs: number): ClusterReport => ({ cluster, kind: 'answered', endedAtEpochMs: now + atMs });
const fails = (
  atMs: number,
  lastedMs = 0,
  reason: ClusterReason = 'Unreachable',
): ClusterReport & { kind: 'failed' } => ({
  cluster,
  kind: 'failed',
  reason,
  error: 'connect ECONNREFUSED',
  beganAtEpochMs: now + atMs,
  endedAtEpochMs: now + atMs + lastedMs,
});

/** The state after these reports, from nothing. */
function after(...reports: ClusterReport[]): ClusterState {
  const state = reports.reduce<ClusterState | undefined>(
    (known, report) => afterReport(known, report) ?? known,
    undefined,
  );
  if (state === undefined) throw new Error('no reports');
  return state;
}

describe('a cluster becomes disconnected', () => {
  test.each<[string, ClusterReport[], boolean]>([
    ['by three failures in a row over 5 s', [fails(1000), fails(3000), fails(6000)], true],
    ['by three time-outs of 2 s', [fails(1000, 2000), fails(3000, 2000), fails(5000, 2000)], true],
    ['not by three failures within 4.999 s', [fails(1000), fails(3000), fails(5999)], false],
    ['not by two failures, however long they last', [fails(1000, 5000), fails(7000, 5000)], false],
    ['not by a failure whose report is written twice', [fails(1000), fails(1000), fails(7000)], false],
    ['not by failures that an answer interrupts', [fails(1000), fails(3000), answered(4000), fails(6000)], false],
    ['not by failures that are half a minute apart', [fails(1000), fails(31_001), fails(62_001)], false],
    [
      'by refusals of one kind of call, even if other calls are answered',
      [fails(1000, 0, 'Forbidden'), answered(2000), fails(3000, 0, 'Forbidden'), fails(6000, 0, 'Forbidden')],
      true,
    ],
  ])('%s', (_why, reports, isDisconnected) => {
    expect(after(works(0), ...reports).connected).toBe(!isDisconnected);
  });

  test('since the start of the first failure, with the reason and the words of the last one', () => {
    const state = after(works(0), fails(1000), fails(3000), fails(4000, 2000, 'TimedOut'));

    expect(state).toMatchObject({
      connected: false,
      sinceEpochMs: now + 1000,
      reason: 'TimedOut',
      error: 'connect ECONNREFUSED',
      failures: { count: 3, sinceEpochMs: now + 1000, lastEpochMs: now + 6000 },
      lastSuccessAtEpochMs: now,
    });
  });

  test('from unknown, when it was never reached', () => {
    expect(after(fails(0), fails(3000)).connected).toBe('unknown');
    expect(after(fails(0), fails(3000), fails(6000)).connected).toBe(false);
  });

  test.each([1, 2, 3, 4])('never, while one of twenty calls fails, every 2 s, for an hour (%d)', (seed) => {
    const random = seededRandom(seed);
    const reports = Array.from({ length: 1800 }, (_, index) =>
      random() < 0.05 ? fails(2000 * index) : answered(2000 * index),
    );

    const { history } = after(works(0), ...reports);

    expect(history).toHaveLength(1);
  });
});

describe('a disconnected cluster', () => {
  const away = [works(0), fails(1000), fails(3000), fails(6000)];

  test('is connected again by a proof of all that launches need, and forgets the failures', () => {
    const state = after(...away, works(9000));

    expect(state).toMatchObject({ connected: true, sinceEpochMs: now + 9000, lastSuccessAtEpochMs: now + 9000 });
    expect(state).not.toHaveProperty('failures');
    expect(state).not.toHaveProperty('reason');
    expect(state).not.toHaveProperty('error');
  });

  test('stays disconnected after an answered call, and keeps counting failures', () => {
    const state = after(...away, answered(7000), { ...fails(120_000), count: 2 });

    expect(state).toMatchObject({ connected: false, failures: { count: 5, sinceEpochMs: now + 1000 } });
  });

  test('is written at most every 10 s, unless its reason changes', () => {
    const state = after(...away);

    expect(afterReport(state, fails(15_999))).toBeUndefined();
    expect(afterReport(state, fails(16_000))).toMatchObject({ failures: { count: 4 } });
    expect(afterReport(state, fails(7000, 0, 'TimedOut'))).toMatchObject({ reason: 'TimedOut' });
  });

  test('is described by its reason, its start, the attempts and the next one', () => {
    const state = { ...after(...away), nextAttemptAtEpochMs: now + 8000 };

    expect(describeAway(state)).toBe(
      'Unreachable since 2026-01-01T00:00:01.000Z after 3 attempts; next attempt at 2026-01-01T00:00:08.000Z',
    );
    expect(describeAway(after(...away))).toMatch(/; next attempt within a minute$/);
  });

  test("keeps the probe's next attempt when a launch's own call fails, until it is past", () => {
    const probed = { ...fails(16_000), nextAttemptAtEpochMs: now + 20_000 };

    expect(after(...away, probed, fails(17_000, 0, 'TimedOut')).nextAttemptAtEpochMs).toBe(now + 20_000);
    expect(after(...away, probed, fails(20_000, 0, 'TimedOut'))).not.toHaveProperty('nextAttemptAtEpochMs');
  });
});

describe('the record of a connected cluster', () => {
  test('is written at most every 10 s', () => {
    const state = after(works(0));

    expect(afterReport(state, answered(9999))).toBeUndefined();
    expect(afterReport(state, answered(10_000))).toMatchObject({ lastSuccessAtEpochMs: now + 10_000 });
  });

  test('is written at once when an answer ends a failure', () => {
    const state = after(works(0), fails(1000));

    expect(afterReport(state, answered(1001))).not.toHaveProperty('failures');
  });

  test('ignores a result that began before the last answer', () => {
    expect(afterReport(after(works(5000)), fails(4999, 5000))).toBeUndefined();
    expect(afterReport(after(works(5000), fails(6000)), answered(5999))).toBeUndefined();
  });

  test('counts as unknown after five minutes without a report', () => {
    const state = after(works(0));

    expect(connectedAt(state, now + 300_000)).toBe(true);
    expect(connectedAt(state, now + 300_001)).toBe('unknown');
    expect(connectedAt(undefined, now)).toBe('unknown');
  });

  test('keeps the last twenty changes', () => {
    const outages = Array.from({ length: 12 }, (_, index) => index * 60_000).flatMap((ms) => [
      works(ms),
      ...[1000, 3000, 6000].map((later) => fails(ms + later)),
    ]);

    const { history } = after(...outages);

    expect(history).toHaveLength(20);
    expect(history[0]).toMatchObject({ connected: false, atEpochMs: now + 11 * 60_000 + 1000 });
  });
});
