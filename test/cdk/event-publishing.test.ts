import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Davit } from '../../cdk/constructs/davit.ts';
import { functionNames } from '../../cdk/function-permissions.ts';
import { unbundledApp } from '../../cdk/unbundled-app.ts';
import { config, propertiesOf, resourcesOf, synthesise, textOf } from './synthesise.ts';
import { functionsOf } from './synthesised-function.ts';

const template = synthesise();
const functionOf = functionsOf(template);
const [launchesTable, tokensTable, , clustersTable] = resourcesOf(template, 'AWS::DynamoDB::Table').keys();

/** The functions that may do an action, with the resources. */
function whoMay(action: string): { name: string; resource: string }[] {
  return functionNames.flatMap((name) =>
    functionOf(name)
      .permissions.filter((permission) => permission.action === action)
      .map(({ resource }) => ({ name, resource })),
  );
}

test.each([
  { table: launchesTable, changes: '{"eventName":["INSERT","MODIFY"]}' },
  { table: tokensTable, changes: '{"eventName":["INSERT"]}' },
  { table: clustersTable, changes: '{"eventName":["INSERT","MODIFY"]}' },
])('each change of $table is published, or retried from the point of failure for 23 hours', ({ table, changes }) => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: { 'Fn::GetAtt': [table, 'StreamArn'] },
    FunctionName: { Ref: functionOf('publish-events').logicalId },
    FilterCriteria: { Filters: [{ Pattern: changes }] },
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    StartingPosition: 'TRIM_HORIZON',
    MaximumRetryAttempts: Match.absent(),
    MaximumRecordAgeInSeconds: 82_800,
    DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
  });
});

test('a change comes with the old item', () => {
  const streams = propertiesOf(template, 'AWS::DynamoDB::Table').map((properties) => properties['StreamSpecification']);

  expect(streams.filter((stream) => stream !== undefined)).toEqual(
    [launchesTable, tokensTable, clustersTable].map(() => ({ StreamViewType: 'NEW_AND_OLD_IMAGES' })),
  );
});

test('only publish-events may read the streams, and it may read no others', () => {
  const readers = whoMay('dynamodb:GetRecords');

  expect(readers).toEqual([
    { name: 'publish-events', resource: `\${${clustersTable}.StreamArn}` },
    { name: 'publish-events', resource: `\${${launchesTable}.StreamArn}` },
    { name: 'publish-events', resource: `\${${tokensTable}.StreamArn}` },
  ]);
});

test('only publish-events, sweep and reconcile may send events, to the default bus alone', () => {
  const senders = whoMay('events:PutEvents');

  expect(senders.map(({ name }) => name)).toEqual(['sweep', 'reconcile', 'publish-events']);
  expect(senders.every(({ resource }) => resource.endsWith(':event-bus/default'))).toBe(true);
  expect(functionOf('publish-events').environment['DAVIT_EVENT_BUS']).toBe(senders[2]?.resource);
});

test('a custom bus takes the events instead', () => {
  const stack = new Stack(unbundledApp(), 'Own');
  const eventBus = new EventBus(stack, 'Bus');
  const davit = new Davit(stack, 'Davit', { config, eventBus });

  const own = Template.fromStack(stack);

  const [busId] = resourcesOf(own, 'AWS::Events::EventBus').keys();
  const functions = functionsOf(own);
  expect(davit.eventBus).toBe(eventBus);
  expect(functions('publish-events').environment['DAVIT_EVENT_BUS']).toBe(`\${${busId}.Arn}`);
  expect(functions('publish-events').permissions).toContainEqual({
    action: 'events:PutEvents',
    resource: `\${${busId}.Arn}`,
  });
});

test('a change that cannot be published within 23 hours is kept for two weeks', () => {
  const [mapping] = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').values();
  const queues = resourcesOf(template, 'AWS::SQS::Queue');
  const [failedId] = [...queues.keys()].filter((id) => id.includes('UnpublishedEvents'));

  expect(textOf(Object(mapping?.Properties['DestinationConfig']).OnFailure.Destination)).toBe(`\${${failedId}.Arn}`);
  expect(queues.get(failedId ?? '')?.Properties).toMatchObject({ MessageRetentionPeriod: 1_209_600 });
});
