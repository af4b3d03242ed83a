import {
  afterReport,
  awayAt,
  type ClusterReport,
  ClusterState,
  type NamespaceOutcome,
  namespaceStateOf,
} from '../../../../core/cluster/cluster-state.ts';
import { type ClusterReason, connectedAt, describeAway } from '../../../../core/cluster/connection.ts';
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

const worksIn = (namespace: string, atMs: number): NamespaceOutcome => ({
  namespace,
  kind: 'works',
  endedAtEpochMs: now + atMs,
});
const failsIn = (
  namespace: string,
  atMs: number,
  reason: ClusterReason = 'AdmissionUnavailable',
): NamespaceOutcome => ({
  namespace,
  kind: 'failed',
  reason,
  error: 'failed calling webhook',
  beganAtEpochMs: now + atMs,
  endedAtEpochMs: now + atMs,
});
/** A probe's report at a moment, with what it proved in namespaces. */
const probed = (atMs: number, ...namespaces: NamespaceOutcome[]): ClusterReport => ({
  cluster,
  kind: 'works',
  endedAtEpochMs: now + atMs,
  namespaces,
});
/** The report of a launch's own create. */
const created = (outcome: NamespaceOutcome): ClusterReport => ({ cluster, kind: 'namespace', outcome });

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
  ])('%s', (_why, reports, isDisconnected) => {
    expect(after(works(0), ...reports).connected).toBe(!isDisconnected);
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

describe('a row of failures', () => {
  test.each([
    { fact: 'goes on after 30 s', reports: [fails(1000), fails(31_000)], count: 2 },
    { fact: 'counts two calls that began at once', reports: [fails(1000), fails(1000, 500)], count: 2 },
    { fact: 'counts two calls that ended at once', reports: [fails(1000, 2000), fails(2000, 1000)], count: 2 },
  ])('$fact', ({ reports, count }) => {
    expect(after(...reports).failures?.count).toBe(count);
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

  test('notes its disconnection once, however many failures follow', () => {
    expect(after(...away, fails(20_000)).history).toHaveLength(2);
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
    const planned = { ...fails(16_000), nextAttemptAtEpochMs: now + 20_000 };

    expect(after(...away, planned, fails(17_000, 0, 'TimedOut')).nextAttemptAtEpochMs).toBe(now + 20_000);
    expect(after(...away, planned, fails(20_000, 0, 'TimedOut'))).not.toHaveProperty('nextAttemptAtEpochMs');
  });
});

describe('the record of a connected cluster', () => {
  test('is written at most every 10 s', () => {
    const state = after(works(0));

    expect(afterReport(state, answered(9999))).toBeUndefined();
    expect(afterReport(state, answered(10_000))).toMatchObject({ lastSuccessAtEpochMs: now + 10_000 });
  });

  test('notes its connection once, however often it works', () => {
    expect(after(works(0), works(10_000))).toMatchObject({ sinceEpochMs: now, history: [{ connected: true }] });
  });

  test('is not written for an answer that disproves nothing', () => {
    expect(afterReport(after(works(0), fails(1000, 0, 'AccessMissing')), answered(1001))).toBeUndefined();
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

describe('launches that may have left objects in a cluster that davit.yaml does not have', () => {
  const left = (number: number, atMs = 0): ClusterReport => ({
    cluster,
    kind: 'left',
    launchId: `api-${number}`,
    namespace: 'agents',
    atEpochMs: now + atMs,
  });

  test('are noted once each, in a record whose connection stays as it was', () => {
    expect(after(left(1), left(2, 1500), left(1, 9000))).toEqual({
      cluster,
      connected: 'unknown',
      sinceEpochMs: now,
      observedAtEpochMs: now,
      reportedAtEpochMs: now,
      history: [],
      expiresAtEpochSeconds: now / 1000 + 2 + 30 * 86_400,
      left: [
        { launchId: 'api-1', namespace: 'agents' },
        { launchId: 'api-2', namespace: 'agents' },
      ],
    });
  });

  test('are at most 100, the newest ones', () => {
    const { left: kept = [] } = after(...Array.from({ length: 102 }, (_, number) => left(number)));

    expect(kept).toHaveLength(100);
    expect([kept[0]?.launchId, kept.at(-1)?.launchId]).toEqual(['api-2', 'api-101']);
  });

  test('are forgotten when the cluster works again, and not before', () => {
    expect(after(left(1), answered(1000)).left).toHaveLength(1);
    expect(after(left(1), works(1000))).not.toHaveProperty('left');
  });
});

describe('a cluster on which a launch begins', () => {
  const launching = (atMs: number): ClusterReport => ({ cluster, kind: 'launching', atEpochMs: now + atMs });

  test('is watched for 25 s after the last one, whatever the order of the reports', () => {
    expect(after(launching(0))).toMatchObject({ connected: 'unknown', watchedUntilEpochMs: now + 25_000 });
    expect(after(launching(5000), launching(0)).watchedUntilEpochMs).toBe(now + 30_000);
    expect(afterReport(after(launching(0)), launching(0))).toBeUndefined();
    expect(after(works(0), launching(1), launching(2))).toMatchObject({
      connected: true,
      watchedUntilEpochMs: now + 25_002,
    });
  });
});

describe('what a cluster says of itself', () => {
  const worksWith = (atMs: number, given: object): ClusterReport => ({ ...works(atMs), ...given });

  test('is kept: the last version, and every namespace once', () => {
    const state = after(
      worksWith(0, { version: 'v1.35.0', namespaces: [worksIn('a', 0), worksIn('b', 0)] }),
      worksWith(10_000, { version: 'v1.36.0', namespaces: [worksIn('b', 10_000), worksIn('c', 10_000)] }),
      works(20_000),
    );

    expect(state.version).toBe('v1.36.0');
    expect(state.namespaces?.map(({ namespace }) => namespace)).toEqual(['a', 'b', 'c']);
    expect(after(works(0))).not.toHaveProperty('version');
    expect(after(works(0))).not.toHaveProperty('namespaces');
  });

  test('is written at once when its version changes', () => {
    const state = after(worksWith(0, { version: 'v1.35.0' }));

    expect(afterReport(state, worksWith(0, { version: 'v1.36.0' }))).toMatchObject({ version: 'v1.36.0' });
    expect(afterReport(state, worksWith(1, { version: 'v1.35.0' }))).toBeUndefined();
  });

  test('is cut after 500 characters of a failure', () => {
    const state = after({ ...fails(0), error: 'x'.repeat(600) });

    expect(state.error).toBe('x'.repeat(500));
  });
});

test('a record expires 30 days after its last report', () => {
  expect(after(works(0), fails(1000, 2500))).toEqual({
    cluster,
    connected: true,
    sinceEpochMs: now,
    reason: 'Unreachable',
    error: 'connect ECONNREFUSED',
    failures: { count: 1, sinceEpochMs: now + 1000, lastEpochMs: now + 3500 },
    lastSuccessAtEpochMs: now,
    observedAtEpochMs: now + 1000,
    reportedAtEpochMs: now + 3500,
    history: [{ connected: true, atEpochMs: now }],
    expiresAtEpochSeconds: now / 1000 + 4 + 30 * 86_400,
  });
});

test('the history has the reason and the words of each disconnection', () => {
  const { history } = after(works(0), fails(1000), fails(3000), fails(6000, 0, 'TimedOut'), works(9000));

  expect(history).toEqual([
    { connected: true, atEpochMs: now + 9000 },
    { connected: false, reason: 'TimedOut', error: 'connect ECONNREFUSED', atEpochMs: now + 1000 },
    { connected: true, atEpochMs: now },
  ]);
});

test.each<{ reason: ClusterReason; isRefuted: boolean }>([
  { reason: 'Unreachable', isRefuted: true },
  { reason: 'TimedOut', isRefuted: true },
  { reason: 'TLSFailed', isRefuted: true },
  { reason: 'Unauthorized', isRefuted: true },
  { reason: 'Throttled', isRefuted: true },
  { reason: 'ServerFault', isRefuted: true },
  { reason: 'KubeconfigInvalid', isRefuted: false },
  { reason: 'AccessMissing', isRefuted: false },
])('an answer to any call disproves $reason: $isRefuted', ({ reason, isRefuted }) => {
  const state = after(works(0), fails(1000, 0, reason), answered(20_000));

  expect(state.reason).toBe(isRefuted ? undefined : reason);
});

test('a record with every field is the same after it was stored', () => {
  const state = {
    ...after(works(0), fails(1000), fails(3000), { ...fails(6000), nextAttemptAtEpochMs: now + 9000 }),
    version: 'v1.36.0',
    namespaces: after(probed(0, failsIn('agents', 0), worksIn('builders', 0))).namespaces,
    watchedUntilEpochMs: now + 25_000,
    left: [{ launchId: 'api-1', namespace: 'agents' }],
  };

  expect(ClusterState.parse(state)).toEqual(state);
});

test('a cluster without a record of its failures is described as unreachable since its state began', () => {
  const { reason: _reason, failures: _failures, ...state } = after(fails(0), fails(3000), fails(6000));

  expect(describeAway(state)).toBe('Unreachable since 2026-01-01T00:00:00.000Z; next attempt within a minute');
});

describe('a namespace', () => {
  const away = [1000, 3000, 6000].map((ms) => probed(ms, failsIn('agents', ms), worksIn('builders', ms)));
  const start = probed(0, worksIn('agents', 0), worksIn('builders', 0));
  const stateOf = (state: ClusterState, namespace = 'agents') => namespaceStateOf(state, namespace);

  test('is disconnected by three failures in a row over 5 s, and its cluster and the other namespaces are not', () => {
    const state = after(start, ...away);

    expect(stateOf(state)).toMatchObject({
      connected: false,
      sinceEpochMs: now + 1000,
      reason: 'AdmissionUnavailable',
      failures: { count: 3 },
    });
    expect(stateOf(state, 'builders')).toMatchObject({ connected: true, sinceEpochMs: now });
    expect(state).toMatchObject({ connected: true, sinceEpochMs: now });
    expect(state).not.toHaveProperty('failures');
  });

  test('is connected again by a proof, and not by an answer of the cluster', () => {
    const answeredState = after(start, ...away, answered(20_000));

    expect(stateOf(answeredState)?.connected).toBe(false);
    expect(stateOf(after(start, ...away, probed(30_000, worksIn('agents', 30_000))))).toMatchObject({
      connected: true,
      sinceEpochMs: now + 30_000,
    });
  });

  test('keeps its state while its cluster is away, and is not told by it', () => {
    const state = after(start, fails(1000), fails(3000), fails(6000));

    expect(state.connected).toBe(false);
    expect(stateOf(state)).toMatchObject({ connected: true, sinceEpochMs: now });
  });

  test('keeps its last five changes', () => {
    const outages = Array.from({ length: 4 }, (_, index) => index * 60_000).flatMap((ms) => [
      probed(ms, worksIn('agents', ms)),
      ...[1000, 3000, 6000].map((later) => created(failsIn('agents', ms + later))),
    ]);

    expect(stateOf(after(...outages))?.history).toHaveLength(5);
  });

  test('that is away keeps its launches away, and says so; other namespaces launch', () => {
    const state = after(start, ...away);

    expect(awayAt(state, 'agents', now + 7000)).toMatchObject({
      what: 'namespace agents of cluster eu-1',
      connection: { reason: 'AdmissionUnavailable' },
    });
    expect(awayAt(state, 'builders', now + 7000)).toBeUndefined();
    expect(awayAt(state, 'unheard-of', now + 7000)).toBeUndefined();
  });

  test('of a cluster that is away is away with it', () => {
    const state = after(start, fails(1000), fails(3000), fails(6000));

    expect(awayAt(state, 'agents', now + 7000)).toMatchObject({ what: 'cluster eu-1' });
  });

  test('that is unknown, or known no more, is not taken for one that is away', () => {
    expect(awayAt(undefined, 'agents', now)).toBeUndefined();
    expect(awayAt(after(start, ...away), 'agents', now + 6000 + 300_001)).toBeUndefined();
    expect(awayAt(after(fails(0)), 'agents', now)).toBeUndefined();
  });
});
