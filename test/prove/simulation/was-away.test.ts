import type { EventOf, Evidence } from '../../../simulation/invariants/evidence.ts';
import { wasAway } from '../../../simulation/invariants/justified-relaunches.ts';

type Seen = EventOf<'clusterState'> | EventOf<'callFailed'>;

const away: Seen = {
  kind: 'clusterState',
  atEpochMs: 111_000,
  cluster: 'east',
  connected: false,
  sinceEpochMs: 100_000,
};

function failed(beganAtEpochMs: number, atEpochMs: number, cluster = 'east'): Seen {
  const code = 'ClusterUnreachable';
  return { kind: 'callFailed', launchId: 'probe', functionName: 'probe', code, cluster, beganAtEpochMs, atEpochMs };
}

function evidenceOf(events: readonly Seen[]): Pick<Evidence, 'of'> {
  return { of: (kind) => events.filter((event) => event.kind === kind) as never };
}

const soon = [failed(111_000, 111_100), failed(112_000, 112_100), failed(113_000, 113_100)];

test('a cluster was away whose namespace was only noted as away later', () => {
  const namespace: Seen = { ...away, namespace: 'agents', atEpochMs: 120_000, sinceEpochMs: 118_000 };
  const events = [away, namespace, failed(100_000, 100_500), ...soon];

  expect(wasAway(evidenceOf(events), { cluster: 'east', namespace: 'agents' }, 124_000, 20)).toBe(true);
  expect(wasAway(evidenceOf(events.slice(1)), { cluster: 'east', namespace: 'agents' }, 124_000, 20)).toBe(false);
});

/** The launch leaves at 124 s, from a cluster that must have been away for 20 s. The judge tolerates 5 s. */
test.each([
  { what: 'its calls failed for that long', failures: [failed(100_000, 100_500), ...soon], expected: true },
  {
    what: 'its first call stood still, and failed only later',
    failures: [failed(100_000, 165_000), ...soon],
    expected: true,
  },
  { what: 'its first call failed too short a time ago', failures: soon, expected: false },
  {
    what: 'a call before stood still at another cluster',
    failures: [failed(100_000, 165_000, 'west'), ...soon],
    expected: false,
  },
  {
    what: 'a call stood still, and only two others failed',
    failures: [failed(100_000, 165_000), ...soon.slice(1)],
    expected: false,
  },
])('a cluster was away: $expected, when $what', ({ failures, expected }) => {
  expect(wasAway(evidenceOf([away, ...failures]), { cluster: 'east', namespace: 'agents' }, 124_000, 20)).toBe(
    expected,
  );
});

/** Its calls failed for 20 s. Then it was back, at once away anew, and the launch left while that had lasted for 3 s. */
test.each([
  { untilEpochMs: 147_000, expected: true, when: 'the function may have read the record of the time before' },
  { untilEpochMs: 165_000, expected: false, when: 'no function that left then was running at that time' },
])('a cluster was away twice: $expected, when $when', ({ untilEpochMs, expected }) => {
  const back: Seen = { ...away, connected: true, atEpochMs: 121_000, sinceEpochMs: 121_000 };
  const anew: Seen = { ...away, atEpochMs: untilEpochMs - 1000, sinceEpochMs: untilEpochMs - 3000 };
  const events = [away, failed(100_000, 100_500), ...soon, back, anew];

  expect(wasAway(evidenceOf(events), { cluster: 'east', namespace: 'agents' }, untilEpochMs, 20)).toBe(expected);
});

test('a cluster was not away for long enough by two records that together would be', () => {
  const back: Seen = { ...away, connected: true, atEpochMs: 113_500, sinceEpochMs: 113_500 };
  const anew: Seen = { ...away, atEpochMs: 123_000, sinceEpochMs: 121_000 };
  const events = [away, failed(100_000, 100_500), ...soon, back, anew];

  expect(wasAway(evidenceOf(events), { cluster: 'east', namespace: 'agents' }, 124_000, 20)).toBe(false);
});
