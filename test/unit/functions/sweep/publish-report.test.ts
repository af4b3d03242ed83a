import { TransientError } from '../../../../core/errors/errors.ts';
import { SweepReported } from '../../../../core/events/sweep-event.ts';
import { publishReport } from '../../../../functions/sweep/publish-report.ts';
import type { SweepReport } from '../../../../functions/sweep/sweep-report.ts';
import { FakeEvents } from '../../../support/fake-events.ts';
import { RecordingMetrics } from '../../../support/recording-metrics.ts';
import { deletedPod, nothingFound } from '../../../support/sweep-reports.ts';

const nothing: SweepReport = {
  ...nothingFound,
  inFlight: { launching: 1, connected: 1, cleaning: 0, oldestSeconds: 12 },
};

async function tell(report: SweepReport, refusal?: Error) {
  const logged: string[] = [];
  const deps = { metrics: new RecordingMetrics(), events: new FakeEvents() };
  deps.events.refuse = () => refusal;
  const log = { error: (message: string, error: Error) => void logged.push(`${message}: ${error.message}`) };
  await publishReport({ ...deps, log, nowEpochMs: () => 1_767_225_600_000 }, report);
  const values = deps.metrics.points.map(({ name, value, dimensions }) => [name, value, ...Object.values(dimensions)]);
  return { values, sent: deps.events.sent, logged };
}

test('a sweep with nothing to do reports the number of launches, and no leak', async () => {
  const { values, sent } = await tell(nothing);

  expect(values).toEqual([
    ['SweepLeaks', 0],
    ['SweepUndone', 0],
    ['OldestLaunch', 12],
    ['LaunchesInFlight', 1, 'launching'],
    ['LaunchesInFlight', 1, 'connected'],
    ['LaunchesInFlight', 0, 'cleaning'],
  ]);
  expect(sent).toEqual([]);
});

test('the findings of a sweep are counted by reason and outcome, and published', async () => {
  const { values, sent } = await tell({
    ...nothing,
    complete: false,
    findings: [
      deletedPod,
      { ...deletedPod, kind: 'Service' },
      { ...deletedPod, kind: 'Service', reason: 'LaunchCleaning', outcome: 'failed' },
      { kind: 'Launch', launchId: 'other', reason: 'NeverStarted', outcome: 'started' },
    ],
    found: { LaunchOver: 2, LaunchCleaning: 1, NeverStarted: 1 },
    done: { deleted: 2, failed: 1, started: 1 },
    spared: { YoungUnknown: 3 },
    left: 2,
    errors: [{ subject: 'cluster two', message: 'ClusterUnreachable: no route' }],
  });

  expect(values.slice(0, 9)).toEqual([
    ['SweepFound', 2, 'LaunchOver'],
    ['SweepFound', 1, 'LaunchCleaning'],
    ['SweepFound', 1, 'NeverStarted'],
    ['SweepDone', 2, 'deleted'],
    ['SweepDone', 1, 'failed'],
    ['SweepDone', 1, 'started'],
    ['SweepSpared', 3, 'YoungUnknown'],
    ['SweepLeaks', 2],
    ['SweepUndone', 3],
  ]);
  const [event] = sent;
  expect(SweepReported.parse(event?.detail)).toMatchObject({
    id: 'sweep/2026-01-01T00:00:00.000Z',
    complete: false,
    left: 2,
    findings: [
      { kind: 'Pod', name: 'davit-job', reason: 'LaunchOver', outcome: 'deleted' },
      { kind: 'Service' },
      { kind: 'Service' },
      { kind: 'Launch', launchId: 'other', outcome: 'started' },
    ],
    errors: [{ subject: 'cluster two', message: 'ClusterUnreachable: no route' }],
  });
});

describe("a sweep's event", () => {
  test('has a bounded size, whatever was found', async () => {
    const findings = Array.from({ length: 500 }, () => deletedPod);
    const errors = Array.from({ length: 500 }, () => ({ subject: 'x', message: 'y'.repeat(100_000) }));

    const { sent } = await tell({ ...nothing, complete: false, findings, errors });

    expect(JSON.stringify(sent).length).toBeLessThan(64 * 1024);
    const told = SweepReported.parse(sent[0]?.detail);
    expect(told.findings).toHaveLength(100);
    expect(told.errors).toEqual(Array.from({ length: 20 }, () => ({ subject: 'x', message: 'y'.repeat(1000) })));
  });

  test('fails no sweep when it cannot be sent, and is logged and counted', async () => {
    const refusal = new TransientError('StoreUnavailable', 'EventBridge PutEvents: 503');

    const { values, logged } = await tell({ ...nothing, findings: [deletedPod] }, refusal);

    expect(logged).toEqual(['the event of a sweep was not sent: StoreUnavailable: EventBridge PutEvents: 503']);
    expect(values.at(-1)).toEqual(['EventsNotSent', 1]);
  });
});

test('a dry run publishes nothing', async () => {
  const { values, sent } = await tell({ ...nothing, dryRun: true, findings: [{ ...deletedPod, outcome: 'found' }] });

  expect({ values, sent }).toEqual({ values: [], sent: [] });
});

test('a sweep without the time to list all launches is incomplete, and does not count them as none', async () => {
  const { inFlight: _unknown, ...report } = nothing;

  const { values, sent } = await tell({ ...report, complete: false });

  expect(values).toEqual([
    ['SweepLeaks', 0],
    ['SweepUndone', 1],
  ]);
  expect(sent).toMatchObject([{ type: 'SweepReported', detail: { complete: false, left: 0, errors: [] } }]);
});
