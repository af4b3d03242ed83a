import { TransientError } from '../../../../core/errors/errors.ts';
import { JobsWaitForSlots } from '../../../../core/events/limit-event.ts';
import { RepairMade } from '../../../../core/events/repair-event.ts';
import { publishReport } from '../../../../functions/reconcile/publish-report.ts';
import type { ReconcileReport } from '../../../../functions/reconcile/reconcile-report.ts';
import { FakeEvents } from '../../../support/fake-events.ts';
import { RecordingMetrics } from '../../../support/recording-metrics.ts';

const nothing: ReconcileReport = {
  complete: true,
  seen: [{ ciSystem: 'gitea', queued: 2, idle: 1, oldestQueuedSeconds: 70 }],
  repairs: [],
  refused: [],
  errors: [],
};
const ghost = {
  ciSystem: 'gitea',
  repair: 'GhostRemoved',
  subject: 'davit-0a1b2c3d-gitea-7-8-1',
  reason: 'x',
} as const;
const idle = { ciSystem: 'gitea', repair: 'IdleRetired', subject: 'gitea-7-9-1', reason: 'idle' } as const;

async function tell(report: ReconcileReport, refusal?: Error) {
  const logged: string[] = [];
  const keep = (...[message]: unknown[]) => void logged.push(String(message));
  const deps = { metrics: new RecordingMetrics(), events: new FakeEvents() };
  deps.events.refuse = ({ detail }) => ('subject' in detail && detail.subject === ghost.subject ? refusal : undefined);
  const log = { info: keep, warn: keep, error: keep };
  await publishReport({ ...deps, log, nowEpochMs: () => 1_767_225_600_000 }, report);
  const values = deps.metrics.points.map(({ name, value, dimensions }) => [name, value, ...Object.values(dimensions)]);
  return { values, sent: deps.events.sent, logged };
}

test('a reconcile with nothing to do counts what it saw, and sends no event', async () => {
  const { values, sent } = await tell(nothing);

  expect(values).toEqual([
    ['RepairedSymptoms', 0],
    ['ReconcileUndone', 0],
    ['QueuedJobs', 2, 'gitea'],
    ['IdleAgents', 1, 'gitea'],
    ['OldestQueuedJob', 70, 'gitea'],
  ]);
  expect(sent).toEqual([]);
});

test('each repair is an event and a count, and only a symptom counts as one', async () => {
  const { values, sent } = await tell({ ...nothing, repairs: [ghost, idle] });

  const at = '2026-01-01T00:00:00.000Z';
  expect(values.slice(0, 4)).toEqual([
    ['Repairs', 1, 'GhostRemoved'],
    ['Repairs', 1, 'IdleRetired'],
    ['RepairedSymptoms', 1],
    ['ReconcileUndone', 0],
  ]);
  expect(sent).toEqual([
    { type: 'RepairMade', detail: { id: `reconcile/GhostRemoved/${ghost.subject}/${at}`, ...ghost, at } },
    { type: 'RepairMade', detail: { id: `reconcile/IdleRetired/${idle.subject}/${at}`, ...idle, at } },
  ]);
  for (const { detail } of sent) expect(RepairMade.parse(detail)).toEqual(detail);
});

test('an event that cannot be sent is logged and counted, and does not prevent the next one', async () => {
  const outage = new TransientError('StoreUnavailable', 'EventBridge is away');

  const { values, sent, logged } = await tell({ ...nothing, repairs: [ghost, idle] }, outage);

  expect(sent).toMatchObject([{ detail: { subject: idle.subject } }]);
  expect(values).toContainEqual(['EventsNotSent', 1]);
  expect(logged).toContain(`the event reconcile/GhostRemoved/${ghost.subject}/2026-01-01T00:00:00.000Z was not sent`);
});

test('jobs that wait for slots are counted over all limits, and each limit is an event', async () => {
  const ofApp = { ciSystem: 'gitea', limit: 'repository/gitea/acme/app', jobs: 3, oldestSeconds: 40 };
  const ofLinux = { ciSystem: 'gitea', limit: 'profile/linux', jobs: 2, oldestSeconds: 90 };

  const { values, sent } = await tell({ ...nothing, limited: [ofApp, ofLinux] });
  const none = await tell({ ...nothing, limited: [] });

  const at = '2026-01-01T00:00:00.000Z';
  const idOf = ({ ciSystem, limit }: typeof ofApp) => `reconcile/JobsWaitForSlots/${ciSystem}/${limit}/${at}`;
  expect(values).toContainEqual(['LimitedJobs', 5]);
  expect(values).toContainEqual(['OldestLimitedJob', 90]);
  expect(sent).toEqual([
    { type: 'JobsWaitForSlots', detail: { id: idOf(ofApp), ...ofApp, at } },
    { type: 'JobsWaitForSlots', detail: { id: idOf(ofLinux), ...ofLinux, at } },
  ]);
  for (const { detail } of sent) expect(JobsWaitForSlots.parse(detail)).toEqual(detail);
  expect(none.values).toContainEqual(['LimitedJobs', 0]);
  expect(none.values).toContainEqual(['OldestLimitedJob', 0]);
});

test('failures are counted, and an incomplete reconcile counts as one', async () => {
  const failed = await tell({ ...nothing, complete: false, errors: [{ subject: 'CI system gitea', message: '502' }] });
  const short = await tell({ ...nothing, complete: false });

  expect(failed.values).toContainEqual(['ReconcileUndone', 1]);
  expect(failed.logged).toContain('Reconcile: CI system gitea: 502');
  expect(short.values).toContainEqual(['ReconcileUndone', 1]);
});

test('each refused job is an event and a line, and no symptom', async () => {
  const refused = {
    id: 'gitea/7/8/1/JobRefused/Repository',
    ciSystem: 'gitea',
    job: { key: 'gitea/7/8/1', name: 'build', repository: 'acme/app', attempt: 1 },
    refusal: 'Repository',
    reason: 'profile linux takes no jobs of acme/app',
    profile: 'linux',
    at: '2026-01-01T00:00:00.000Z',
  } as const;

  const { values, sent, logged } = await tell({ ...nothing, refused: [refused] });

  expect(sent).toEqual([{ type: 'JobRefused', detail: refused }]);
  expect(logged).toContain('Reconcile: gitea/7/8/1 is refused: profile linux takes no jobs of acme/app');
  expect(values).toContainEqual(['RepairedSymptoms', 0]);
});
