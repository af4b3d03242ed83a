import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { lifecycleSource } from '../../../../core/events/lifecycle-events.ts';
import { CleanUpInput } from '../../../../functions/clean-up/clean-up.ts';
import { eventsOfLaunch } from '../../../../functions/publish-events/events-of-launch.ts';
import { localDeployment } from '../../../cdk/local-deployment.ts';
import { resourcesOf, synthesise } from '../../../cdk/synthesise.ts';
import { endingOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { matchEvents } from './match-events.ts';

const template = synthesise();
const deployed = localDeployment(template);
const [machineId = ''] = resourcesOf(template, 'AWS::StepFunctions::StateMachine').keys();
const stateMachineArn = deployed(machineId, undefined);

/** Reads a part of the template with each `Ref` resolved. */
function deploy(value: unknown): unknown {
  const Ref = z.strictObject({ Ref: z.string() });
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) => {
    const { data } = Ref.safeParse(part);
    return data === undefined ? part : deployed(data.Ref, undefined);
  });
}

/**
 * The event that Step Functions emits when an execution ends. Absent values are null.
 *
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
 */
function statusChange(detail: Record<string, unknown>) {
  const name = 'github-1-2-1';
  return {
    version: '0',
    id: '315c1398-40ff-a850-213b-158f73e60175',
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    account: '000000000000',
    time: '2026-01-01T00:00:21Z',
    region: 'us-east-1',
    resources: [stateMachineArn.replace(':stateMachine:', ':execution:').concat(`:${name}`)],
    detail: {
      executionArn: stateMachineArn.replace(':stateMachine:', ':execution:').concat(`:${name}`),
      stateMachineArn,
      stateMachineVersionArn: null,
      stateMachineAliasArn: null,
      name,
      startDate: 1_767_225_600_000,
      stopDate: 1_767_225_621_000,
      input: '{}',
      inputDetails: { included: true },
      output: null,
      outputDetails: null,
      error: null,
      cause: null,
      redriveCount: 0,
      redriveDate: null,
      redriveStatus: 'NOT_REDRIVABLE',
      redriveStatusReason: 'Execution is not redrivable',
      ...detail,
    },
  };
}

const withoutError = statusChange({ status: 'ABORTED' });
const { error: _error, ...detailWithoutError } = withoutError.detail;

const endings = [
  { ending: 'failed', event: statusChange({ status: 'FAILED', error: 'LaunchFailed', cause: 'x' }), cleaned: true },
  { ending: 'timed out, with error null', event: statusChange({ status: 'TIMED_OUT' }), cleaned: true },
  { ending: 'stopped by hand, with error null', event: withoutError, cleaned: true },
  { ending: 'stopped by hand, without error', event: { ...withoutError, detail: detailWithoutError }, cleaned: true },
  {
    ending: 'stopped by hand, with a custom error',
    event: statusChange({ status: 'ABORTED', error: 'Mistaken', cause: 'wrong branch' }),
    cleaned: true,
  },
  {
    ending: 'stopped by davit',
    event: statusChange({ status: 'ABORTED', error: 'Terminated', cause: 'job over' }),
    cleaned: false,
  },
  { ending: 'succeeded', event: statusChange({ status: 'SUCCEEDED', output: '{}' }), cleaned: false },
  { ending: 'not over', event: statusChange({ status: 'RUNNING', stopDate: null }), cleaned: false },
  {
    ending: 'of another state machine',
    event: statusChange({ status: 'FAILED', stateMachineArn: `${stateMachineArn}-other` }),
    cleaned: false,
  },
  {
    ending: 'of another service',
    event: { ...statusChange({ status: 'FAILED' }), source: 'somebody.else' },
    cleaned: false,
  },
];

describe('the rule for executions that ended', () => {
  const rules = [...resourcesOf(template, 'AWS::Events::Rule').values()];
  const pattern = deploy(rules[0]?.Properties['EventPattern']);
  let matched: boolean[];
  beforeAll(async () => {
    matched = await matchEvents(endings.map(({ event }) => ({ pattern, event })));
  });

  test('is the only rule', () => {
    expect(rules).toHaveLength(1);
  });

  test.each(endings.map((ending, index) => ({ ...ending, index })))(
    'an execution $ending: matches $cleaned',
    ({ index, cleaned }) => {
      expect(matched[index]).toBe(cleaned);
    },
  );

  test.each(endings.filter(({ cleaned }) => cleaned))(
    'an execution $ending: CleanUp can read the event',
    ({ event }) => {
      expect(CleanUpInput.safeParse(event).success).toBe(true);
    },
  );
});

const Mapping = z.object({
  EventSourceArn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('StreamArn')]) }),
  FilterCriteria: z.object({ Filters: z.tuple([z.object({ Pattern: z.string() })]) }),
});

/** Lambda's filters use the syntax of EventBridge's patterns. */
describe("the filters of the tables' streams", () => {
  const mappings = [...resourcesOf(template, 'AWS::Lambda::EventSourceMapping').values()].map(({ Properties }) =>
    Mapping.parse(Properties),
  );
  const change = (eventName: string) => ({
    eventID: '1',
    eventName,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'us-east-1',
    dynamodb: { Keys: { launchId: { S: 'job' } }, NewImage: { launchId: { S: 'job' }, runs: { NULL: true } } },
  });

  test.each([
    { table: 'Launches', passes: ['INSERT', 'MODIFY'] },
    { table: 'Tokens', passes: ['INSERT'] },
  ])('of $table let $passes pass, and no REMOVE of an item that expired', async ({ table, passes }) => {
    const names = ['INSERT', 'MODIFY', 'REMOVE'];
    const mapping = mappings.find((one) => one.EventSourceArn['Fn::GetAtt'][0].includes(table));
    const pattern: unknown = JSON.parse(mapping?.FilterCriteria.Filters[0].Pattern ?? '');

    const passed = await matchEvents(names.map((eventName) => ({ pattern, event: change(eventName) })));

    expect(names.filter((_name, index) => passed[index])).toEqual(passes);
  });
});

test('the pattern of docs/events.md matches the failures of its profile, and nothing else', async () => {
  const docs = await readFile(new URL('../../../../docs/events.md', import.meta.url), 'utf8');
  const pattern: unknown = JSON.parse(/```json\n(.*?)\n```/s.exec(docs)?.[1] ?? '');
  const launched = recordOf('job');
  const failed = { ...launched, status: 'cleaning' as const, ending: endingOf({ outcome: 'failed' }) };
  const terminated = { ...failed, ending: endingOf({ outcome: 'terminated' }) };
  const events = [
    ...eventsOfLaunch(launched, failed),
    ...eventsOfLaunch(launched, terminated),
    ...eventsOfLaunch(undefined, launched),
  ].map(({ type, detail }) => ({ source: lifecycleSource, 'detail-type': type, detail }));
  const [failure] = events;
  const elsewhere = { ...failure, detail: { ...failure?.detail, profile: 'windows' } };

  const matched = await matchEvents([...events, elsewhere].map((event) => ({ pattern, event })));

  expect(events.map((event) => event['detail-type'])).toEqual(['LaunchFailed', 'LaunchTerminated', 'LaunchRequested']);
  expect(matched).toEqual([true, false, false, false]);
});
