import { createEventBridgeClient, createEventBus, kindsOf } from '../../../../adapters/aws/create-event-bus.ts';
import { JobRefused, jobSource } from '../../../../core/events/job-events.ts';
import { type LifecycleEvent, lifecycleDetails, lifecycleSource } from '../../../../core/events/lifecycle-events.ts';
import { RepairMade, repairSource } from '../../../../core/events/repair-event.ts';
import { eventsOfLaunch } from '../../../../functions/publish-events/events-of-launch.ts';
import { recordOf } from '../../../contract/launch-fixtures.ts';
import { startEventBridgeServer } from '../../../support/aws/eventbridge/eventbridge-server.ts';
import { localAws } from '../../../support/aws/local-aws.ts';
import { awsError, awsOutput, type ScriptedAnswer, scriptedAwsOfTests } from '../../../support/start-scripted-aws.ts';

const aws = scriptedAwsOfTests();

const kinds = {
  ...kindsOf(lifecycleSource, lifecycleDetails),
  ...kindsOf(repairSource, { RepairMade }),
  ...kindsOf(jobSource, { JobRefused }),
};
const [requested] = eventsOfLaunch(undefined, recordOf('job'));

function event(): LifecycleEvent {
  if (requested === undefined) throw new Error('a new record has an event');
  return requested;
}

async function busAnswering(answer: ScriptedAnswer) {
  const client = createEventBridgeClient((await aws.start(answer)).settings);
  return createEventBus({ client, busName: 'default', kinds });
}

test('an event arrives at the bus in the form that rules match', async () => {
  await using server = await startEventBridgeServer();
  const client = createEventBridgeClient(localAws(server.url));

  await createEventBus({ client, busName: 'default', kinds }).send(event());

  expect(server.events).toMatchObject([
    {
      source: 'davit.launch',
      'detail-type': 'LaunchRequested',
      time: '2026-01-01T00:00:00.000Z',
      detail: { id: 'job/1/LaunchRequested', launchId: 'job', profile: 'linux' },
    },
  ]);
});

const sent = awsOutput({ FailedEntryCount: 0, Entries: [{ EventId: '1' }] });
const ciSystem = 'gitea';
const at = '2026-01-01T00:00:00.000Z';
const repair = {
  id: 'reconcile/1',
  ciSystem,
  repair: 'GhostRemoved',
  subject: 'davit-1',
  reason: 'no launch',
  at,
} as const;
const job = { key: 'gitea/7/8/1', name: 'build', attempt: 1 };
const why = { refusal: 'Repository', reason: 'no', profile: 'linux' } as const;

test.each([
  ['a repair', 'davit.reconcile', { type: 'RepairMade', detail: repair }],
  [
    'a refused job',
    'davit.job',
    { type: 'JobRefused', detail: { id: `${job.key}/JobRefused`, ciSystem, job, ...why, at } },
  ],
] as const)('%s arrives at the bus with its source: %s', async (_what, Source, told) => {
  const bus = await busAnswering(sent);

  await bus.send(told);

  expect(JSON.parse(aws.requests[0]?.body ?? '')).toMatchObject({ Entries: [{ Source, DetailType: told.type }] });
});

test('an event carries the trace that it belongs to', async () => {
  const bus = await busAnswering(sent);
  const TraceHeader = 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';

  await bus.send(event(), TraceHeader);

  expect(JSON.parse(aws.requests[0]?.body ?? '')).toMatchObject({ Entries: [{ TraceHeader }] });
});

describe('an event that fails may be sent later', () => {
  test.each<[string, ScriptedAnswer]>([
    ['when EventBridge throttles', awsError(400, 'ThrottlingException', 'Rate exceeded')],
    ['when EventBridge fails', awsError(500, 'InternalException', 'oops')],
    ['when the right to send is missing, which an operator can grant', awsError(400, 'AccessDeniedException', 'no')],
    ['when the connection breaks', 'reset'],
    [
      'when only this one of several failed',
      awsOutput({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure', ErrorMessage: 'oops' }] }),
    ],
  ])('%s', async (_when, answer) => {
    const bus = await busAnswering(answer);

    await expect(bus.send(event())).rejects.toMatchObject({ name: 'TransientError', code: 'StoreUnavailable' });
  });
});

describe('an event is refused for good', () => {
  test('when EventBridge calls it malformed', async () => {
    const answer = { FailedEntryCount: 1, Entries: [{ ErrorCode: 'MalformedDetail', ErrorMessage: 'not JSON' }] };
    const bus = await busAnswering(awsOutput(answer));

    await expect(bus.send(event())).rejects.toThrow('EventBridge PutEvents: MalformedDetail: not JSON');
  });

  test('before it is sent, when it does not match its documentation', async () => {
    const bus = await busAnswering(sent);
    const { type, detail } = event();
    const undocumented: LifecycleEvent = { type: 'LaunchRequested', detail: { ...detail, at: 'today' } };

    await expect(bus.send(undocumented)).rejects.toThrow('Invalid ISO datetime');
    expect(type).toBe('LaunchRequested');
    expect(aws.requests).toEqual([]);
  });
});
