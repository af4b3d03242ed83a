import { marshall } from '@aws-sdk/util-dynamodb';
import { readStreamImage } from '../../../../adapters/aws/read-stream-image.ts';
import { afterReport, type ClusterReport } from '../../../../core/cluster/cluster-state.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { completeToken } from '../../../../core/launch/completed-token.ts';
import {
  type PublishEventsDeps,
  PublishEventsInput,
  publishEvents,
} from '../../../../functions/publish-events/publish-events.ts';
import { endingOf, epochMs, planOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { FakeEvents } from '../../../support/fake-events.ts';
import { fakeInvokeLater } from '../../../support/fake-invoke-later.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';
import { RecordingMetrics } from '../../../support/recording-metrics.ts';

function makeDeps() {
  const logged: { level: 'warn' | 'error'; message: string; error: Error; eventId?: string }[] = [];
  const history: unknown[] = [];
  const watched: string[] = [];
  return {
    readImage: readStreamImage,
    events: new FakeEvents(),
    launches: new MemoryLaunches(),
    metrics: new RecordingMetrics(),
    invokeLater: fakeInvokeLater(),
    watched,
    watchCluster: async (cluster: string) => void watched.push(cluster),
    logged,
    history,
    log: {
      info: (message, keys) => void history.push({ message, ...keys }),
      warn: (message, keys) => void logged.push({ level: 'warn', message, ...keys }),
      error: (message, keys) => void logged.push({ level: 'error', message, ...keys }),
    } satisfies PublishEventsDeps['log'],
  };
}

interface Moments {
  beganAtEpochMs: number;
  endedAtEpochMs: number;
}

let sequence = 0;
function change(before: object | undefined, after: object) {
  sequence += 1;
  const options = { removeUndefinedValues: true };
  return {
    eventName: before === undefined ? 'INSERT' : 'MODIFY',
    dynamodb: {
      SequenceNumber: `${sequence}`,
      ...(before === undefined ? {} : { OldImage: marshall(before, options) }),
      NewImage: marshall(after, options),
    },
  };
}

let deps: ReturnType<typeof makeDeps>;
beforeEach(() => {
  deps = makeDeps();
});

const publish = (...changes: object[]) => publishEvents(deps, PublishEventsInput.parse({ Records: changes }));

const typesOf = ({ sent }: FakeEvents) => sent.map(({ type }) => type);

test('publishes and counts changes in their order', async () => {
  const asked = recordOf('job');
  const connected = { ...asked, status: 'connected', connectedAtEpochMs: epochMs + 7000 };
  const ended = { ...connected, status: 'cleaning', ending: endingOf({ outcome: 'terminated', code: 'Terminated' }) };

  const answer = await publish(change(undefined, asked), change(asked, connected), change(connected, ended));

  expect(answer).toEqual({ batchItemFailures: [] });
  expect(typesOf(deps.events)).toEqual(['LaunchRequested', 'AgentConnected', 'LaunchTerminated']);
  const where = { profile: 'linux', cluster: 'sandbox' };
  expect(deps.metrics.points).toEqual([
    { name: 'LaunchesRequested', value: 1, dimensions: where },
    { name: 'TimeToAgent', value: 7000, dimensions: where },
    { name: 'Launches', value: 1, dimensions: { outcome: 'connected', ...where } },
    { name: 'AgentsEnded', value: 1, dimensions: { outcome: 'terminated' } },
  ]);
});

test("each write of a launch's record is logged with its revision and its command", async () => {
  const asked = { ...recordOf('job'), revision: 7, command: 'request' };
  const ended = { ...asked, status: 'cleaning', ending: endingOf(), revision: 8, command: 'end' };

  await publish(change(undefined, asked), change(asked, ended));

  const job = { launchId: 'job', agentName: 'davit-job' };
  const writes = [
    { ...job, revision: 7, command: 'request' },
    { ...job, revision: 8, command: 'end' },
  ];
  expect(deps.history).toEqual([{ message: 'launches written', writes }]);
});

test('the slots of an ended launch go to others, once everything of it is gone', async () => {
  const slots = { attempt: 'one', limits: ['profile/linux'] };
  const asked = recordOf('job', { plan: { ...planOf('job'), slots } });
  const cleaning = { ...asked, status: 'cleaning', ending: endingOf({ outcome: 'failed' }) };
  const failed = { ...cleaning, status: 'failed', cleanedAtEpochMs: epochMs + 9000 };
  const unlimited = recordOf('other', { status: 'failed', ending: endingOf({ outcome: 'failed' }) });

  await publish(change(undefined, asked), change(asked, cleaning));
  const before = [...deps.invokeLater.events.admit];
  await publish(change(cleaning, failed), change(failed, failed), change(undefined, unlimited));

  expect([before, deps.invokeLater.events.admit]).toEqual([[], [{ launchId: 'job' }]]);
});

test('a cluster is watched when a launch begins there, or moves there, and for no other change', async () => {
  const asked = recordOf('job');
  const moved = { ...asked, plan: planOf('job', { cluster: 'two', generation: 2 }) };
  const connected = { ...moved, status: 'connected', connectedAtEpochMs: epochMs + 7000 };
  const over = recordOf('late', { status: 'cleaning', ending: endingOf() });

  await publish(change(undefined, asked), change(asked, moved), change(moved, connected), change(undefined, over));

  expect(deps.watched).toEqual(['sandbox', 'two']);
});

test("a job's time in the queue is counted once, when it starts", async () => {
  const job = { name: 'build', attempt: 1, queuedAtEpochMs: epochMs, startedAtEpochMs: epochMs + 3000 };
  const running = recordOf('job', { status: 'connected', runs: { jobKey: 'gitea/7/8/1', sinceEpochMs: epochMs, job } });
  const ran = { ...running, ran: { conclusion: 'success', atEpochMs: epochMs + 9000 } };

  await publish(change(recordOf('job', { status: 'connected' }), running), change(running, ran));

  expect(typesOf(deps.events)).toEqual(['JobStarted', 'JobFinished']);
  const dimensions = { profile: 'linux', cluster: 'sandbox' };
  expect(deps.metrics.points).toEqual([{ name: 'JobQueueTime', value: 3000, dimensions }]);
});

test.each([
  ['failed', 'ImagePullFailed'],
  ['terminated', 'Terminated'],
] as const)('a launch that is %s before its agent has connected is counted as such', async (outcome, code) => {
  await publish(change(recordOf('job'), recordOf('job', { status: 'cleaning', ending: endingOf({ outcome, code }) })));

  const dimensions = { outcome, code, profile: 'linux', cluster: 'sandbox' };
  expect(deps.metrics.points).toEqual([{ name: 'Launches', value: 1, dimensions }]);
});

test('a relaunch and a clean-up are counted', async () => {
  const lost = { agentName: 'davit-job', code: 'NodeLost', message: 'NodeLost: gone', endedAtEpochMs: epochMs };
  const again = recordOf('job', { plan: planOf('job', { generation: 2 }), generations: [lost] });
  const ended = recordOf('job', { status: 'cleaning', ending: endingOf() });

  await publish(
    change(recordOf('job'), again),
    change(ended, { ...ended, status: 'failed', cleanedAtEpochMs: epochMs + 6200 }),
  );

  expect(deps.metrics.points).toEqual([
    { name: 'Relaunches', value: 1, dimensions: { code: 'NodeLost' } },
    { name: 'CleanUpTime', value: 1200, dimensions: {} },
  ]);
});

describe('a published token', () => {
  const token = completeToken({
    agentName: 'davit-job',
    launchId: 'job',
    host: '10.0.0.7',
    port: 30_080,
    tls: false,
    publishedAtEpochMs: epochMs,
    expiresAtEpochMs: epochMs + 60_000,
  });
  const published = { agentName: token.agentName, token, expiresAtEpochSeconds: 1_768_435_200 };

  test("is published with its launch's cluster and profile", async () => {
    await deps.launches.request(recordOf('job', { plan: planOf('job', { cluster: 'two' }) }));

    await publish(change(undefined, published));

    expect(deps.events.sent).toMatchObject([
      { type: 'AgentPlaced', detail: { id: 'job/1/AgentPlaced', cluster: 'two', host: '10.0.0.7', port: 30_080 } },
    ]);
  });

  test('without a known launch is not published, and is counted as such', async () => {
    const answer = await publish(change(undefined, published));

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(deps.metrics.points).toEqual([{ name: 'EventsNotSent', value: 1, dimensions: {} }]);
    expect(deps.logged).toMatchObject([{ level: 'error', message: 'an event will not be sent' }]);
  });
});

describe('when events cannot be sent', () => {
  const unavailable = new TransientError('StoreUnavailable', 'EventBridge PutEvents: 503');

  test('the batch is retried from the failed change, which is not counted', async () => {
    deps.events.refuse = ({ detail }) => ('launchId' in detail && detail.launchId === 'two' ? unavailable : undefined);
    const two = change(undefined, recordOf('two'));
    const changes = [change(undefined, recordOf('one')), two, change(undefined, recordOf('three'))];

    const answer = await publish(...changes);

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: two.dynamodb.SequenceNumber }] });
    expect(deps.events.sent.map(({ detail }) => detail.id)).toEqual(['one/1/LaunchRequested']);
    expect(deps.metrics.points.map(({ name }) => name)).toEqual(['LaunchesRequested']);
    expect(deps.logged).toMatchObject([{ level: 'warn', error: unavailable }]);
  });

  test('a change with two events is counted once, even when its first event is sent twice', async () => {
    const both = change(undefined, recordOf('job', { status: 'cleaning', ending: endingOf() }));
    deps.events.refuse = ({ type }) => (type === 'LaunchFailed' ? unavailable : undefined);
    await publish(both);
    deps.events.refuse = () => undefined;

    await publish(both);

    expect(typesOf(deps.events)).toEqual(['LaunchRequested', 'LaunchRequested', 'LaunchFailed']);
    expect(new Set(deps.events.sent.map(({ detail }) => detail.id)).size).toBe(2);
    expect(deps.metrics.points.map(({ name }) => name)).toEqual(['LaunchesRequested', 'Launches']);
  });
});

describe('an event that can never be sent delays no other event', () => {
  test('when EventBridge refuses it', async () => {
    deps.events.refuse = ({ detail }) => (detail.id.startsWith('one/') ? new Error('MalformedDetail') : undefined);

    const answer = await publish(change(undefined, recordOf('one')), change(undefined, recordOf('two')));

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(deps.events.sent.map(({ detail }) => detail.id)).toEqual(['two/1/LaunchRequested']);
    expect(deps.metrics.points.map(({ name }) => name)).toEqual(['EventsNotSent', 'LaunchesRequested']);
  });

  test('when davit did not write the item', async () => {
    const ofStranger = change(undefined, { launchId: 'one', status: 'sleeping' });

    const answer = await publish(ofStranger, change(undefined, recordOf('two')));

    expect(answer).toEqual({ batchItemFailures: [] });
    expect(typesOf(deps.events)).toEqual(['LaunchRequested']);
    expect(deps.logged).toMatchObject([{ level: 'error' }]);
  });
});

test("publishes, logs and counts nothing of a caller's environment", async () => {
  const secret = 'hunter2-7f3a';
  const asked = recordOf('job', { env: { PASSWORD: secret } });

  await publish(
    change(undefined, asked),
    change(asked, { ...asked, status: 'unknown' }),
    change(asked, { ...asked, env: 5 }),
  );

  expect(deps.events.sent).toHaveLength(1);
  expect(deps.logged).toHaveLength(2);
  const said = deps.logged.map(({ error, ...rest }) => ({ ...rest, error: `${error.stack}` }));
  expect(JSON.stringify([deps.events.sent, said, deps.metrics.points])).not.toContain(secret);
});

test("an event continues its launch's trace", async () => {
  const traceHeader = 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';

  await publish(change(undefined, recordOf('job', { plan: planOf('job', { traceHeader }) })));

  expect(deps.events.traceHeaders).toEqual([traceHeader]);
});

test("publishes a change of a cluster's connection, and no other change of a cluster", async () => {
  const works = (atMs: number) => ({ cluster: 'eu-1', kind: 'works' as const, endedAtEpochMs: epochMs + atMs });
  const first = afterReport(undefined, works(0));
  const later = afterReport(first, works(10_000));

  const answer = await publish(change(undefined, first ?? {}), change(first, later ?? {}));

  expect(answer).toEqual({ batchItemFailures: [] });
  expect(typesOf(deps.events)).toEqual(['ClusterConnected']);
  expect(deps.logged).toEqual([]);
});

const noAnswer = { cluster: 'eu-1', kind: 'failed', reason: 'TimedOut', error: 'no answer' } as const;
const noNamespace = { namespace: 'agents', kind: 'failed', reason: 'NamespaceMissing', error: 'not found' } as const;

test.each<[whose: string, isProbed: boolean, report: (times: Moments) => ClusterReport]>([
  ["a launch's own call", true, (times) => ({ ...noAnswer, ...times })],
  [
    'a look of the probe, which repeats it itself',
    false,
    (times) => ({ ...noAnswer, ...times, nextAttemptAtEpochMs: epochMs + 3000 }),
  ],
  [
    "a launch's own create in a namespace",
    true,
    (times) => ({ cluster: 'eu-1', kind: 'namespace', outcome: { ...noNamespace, ...times } }),
  ],
])('requests a look at a cluster after the first failure of %s: %j', async (_whose, isProbed, report) => {
  const works = afterReport(undefined, { cluster: 'eu-1', kind: 'works', endedAtEpochMs: epochMs });
  const first = afterReport(works, report({ beganAtEpochMs: epochMs + 1000, endedAtEpochMs: epochMs + 1000 }));
  const second = afterReport(first, report({ beganAtEpochMs: epochMs + 2000, endedAtEpochMs: epochMs + 2000 }));

  await publish(change(undefined, works ?? {}), change(works, first ?? {}), change(first, second ?? {}));

  expect(deps.invokeLater.events.probe).toEqual(isProbed ? [{ cluster: 'eu-1' }] : []);
});

describe('a refused job', () => {
  const refused = {
    id: 'gitea/7/8/1/JobRefused/Size',
    ciSystem: 'gitea',
    job: { key: 'gitea/7/8/1', name: 'build', repository: 'acme/app', attempt: 1 },
    refusal: 'Size',
    reason: 'profile linux takes no davit/cpu=16: expected one of 500m, 1, 2, 4, 8',
    profile: 'linux',
    label: 'davit/cpu=16',
    at: '2026-01-01T00:00:00.000Z',
  } as const;

  test('is published as it was told', async () => {
    await publishEvents(deps, PublishEventsInput.parse({ refused }));

    expect(deps.events.sent).toEqual([{ type: 'JobRefused', detail: refused }]);
  });

  test('fails the run while it cannot be sent, so that Lambda repeats it', async () => {
    deps.events.refuse = () => new TransientError('StoreUnavailable', 'EventBridge did not answer');

    await expect(publishEvents(deps, { refused })).rejects.toThrow('EventBridge did not answer');
    expect(deps.logged).toEqual([]);
  });

  test('is logged and counted when it can never be sent', async () => {
    deps.events.refuse = () => new Error('MalformedDetail');

    await publishEvents(deps, { refused });

    expect(deps.logged).toMatchObject([{ level: 'error', eventId: refused.id }]);
    expect(deps.metrics.points).toEqual([{ name: 'EventsNotSent', value: 1, dimensions: {} }]);
  });
});
