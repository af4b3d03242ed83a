import { afterReport, type ClusterReport, type ClusterState } from '../../../../core/cluster/cluster-state.ts';
import { clusterDetails } from '../../../../core/events/cluster-events.ts';
import { eventsOfCluster } from '../../../../functions/publish-events/events-of-cluster.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const cluster = 'eu-1';

/** The states of an outage, one after the other. */
function statesOf(reports: readonly ClusterReport[]): ClusterState[] {
  const states: ClusterState[] = [];
  for (const report of reports) {
    const next = afterReport(states.at(-1), report);
    if (next !== undefined) states.push(next);
  }
  return states;
}

const outage = statesOf([
  { cluster, kind: 'works', endedAtEpochMs: now },
  ...[1000, 3000, 6000, 20_000].map((ms): ClusterReport => {
    const why = { reason: 'TLSFailed', error: 'certificate has expired' } as const;
    return { cluster, kind: 'failed', ...why, beganAtEpochMs: now + ms, endedAtEpochMs: now + ms };
  }),
  { cluster, kind: 'works', endedAtEpochMs: now + 30_000 },
]);

/** The event of a subject so many seconds after the first report. */
function eventAt(second: string, subject: string, type: string, more: object = {}) {
  const at = `2026-01-01T00:00:${second}.000Z`;
  return { type, detail: { id: `${subject}/${type}/${at}`, cluster, at, ...more } };
}

test('an outage of creates in a namespace has two events of the namespace, and none of its cluster', () => {
  const namespaces = (atMs: number): ClusterReport => {
    const atEpochMs = now + atMs;
    const missing = { reason: 'NamespaceMissing', error: 'not found' } as const;
    const failed = { kind: 'failed', ...missing, beganAtEpochMs: atEpochMs } as const;
    const works = { kind: 'works', endedAtEpochMs: atEpochMs } as const;
    const isOut = atMs > 0 && atMs < 30_000;
    const agents = { namespace: 'agents', ...(isOut ? { ...failed, endedAtEpochMs: atEpochMs } : works) };
    return { cluster, ...works, namespaces: [agents, { namespace: 'builders', ...works }] };
  };
  const states = statesOf([0, 1000, 3000, 6000, 20_000, 30_000].map(namespaces));

  const events = states.flatMap((state, index) => eventsOfCluster(states[index - 1], state));

  const namespace = 'agents';
  expect(events).toEqual([
    eventAt('00', 'eu-1', 'ClusterConnected'),
    eventAt('01', 'eu-1/agents', 'NamespaceDisconnected', {
      namespace,
      reason: 'NamespaceMissing',
      error: 'not found',
    }),
    eventAt('30', 'eu-1/agents', 'NamespaceConnected', { namespace }),
  ]);
  for (const { type, detail } of events) expect(clusterDetails[type].parse(detail)).toEqual(detail);
});

test('an outage has two events, each once, with its reason and its start', () => {
  const events = outage.flatMap((state, index) => eventsOfCluster(outage[index - 1], state));

  expect(events).toEqual([
    eventAt('00', 'eu-1', 'ClusterConnected'),
    eventAt('01', 'eu-1', 'ClusterDisconnected', { reason: 'TLSFailed', error: 'certificate has expired' }),
    eventAt('30', 'eu-1', 'ClusterConnected'),
  ]);
  for (const { type, detail } of events) expect(clusterDetails[type].parse(detail)).toEqual(detail);
});
