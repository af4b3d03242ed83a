import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Davit } from '../../cdk/constructs/davit.ts';
import { functionNames } from '../../cdk/function-needs.ts';
import { config, resourcesOf, synthesise, textOf } from './synthesise.ts';
import { functionsOf } from './synthesised-function.ts';

const template = synthesise();
const functionOf = functionsOf(template);
const [launchesTable, tokensTable] = resourcesOf(template, 'AWS::DynamoDB::Table').keys();

/** The functions that may do an action, and on what. */
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
])('each change of $table is announced, or asked for again from where it failed', ({ table, changes }) => {
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: { 'Fn::GetAtt': [table, 'StreamArn'] },
    FunctionName: { Ref: functionOf('announce').logicalId },
    FilterCriteria: { Filters: [{ Pattern: changes }] },
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    StartingPosition: 'TRIM_HORIZON',
    MaximumRetryAttempts: Match.absent(),
    MaximumRecordAgeInSeconds: Match.absent(),
    DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
  });
});

test('a change is told with what the item was', () => {
  const streams = [...resourcesOf(template, 'AWS::DynamoDB::Table').values()].map(
    ({ Properties }) => Properties['StreamSpecification'],
  );

  expect(streams).toEqual([{ StreamViewType: 'NEW_AND_OLD_IMAGES' }, { StreamViewType: 'NEW_AND_OLD_IMAGES' }]);
});

test('only announce may read the streams, and those alone', () => {
  const readers = whoMay('dynamodb:GetRecords');

  expect(readers).toEqual([
    { name: 'announce', resource: `\${${launchesTable}.StreamArn}` },
    { name: 'announce', resource: `\${${tokensTable}.StreamArn}` },
  ]);
});

test('only announce and sweep may send events, to the default bus alone', () => {
  const senders = whoMay('events:PutEvents');

  expect(senders.map(({ name }) => name)).toEqual(['sweep', 'announce']);
  expect(senders.every(({ resource }) => resource.endsWith(':event-bus/default'))).toBe(true);
  expect(functionOf('announce').environment['DAVIT_EVENT_BUS']).toBe(senders[1]?.resource);
});

test('a bus of one’s own takes the events instead', () => {
  const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Own');
  const eventBus = new EventBus(stack, 'Bus');
  const davit = new Davit(stack, 'Davit', { config, eventBus });

  const own = Template.fromStack(stack);

  const [busId] = resourcesOf(own, 'AWS::Events::EventBus').keys();
  const functions = functionsOf(own);
  expect(davit.eventBus).toBe(eventBus);
  expect(functions('announce').environment['DAVIT_EVENT_BUS']).toBe(`\${${busId}.Arn}`);
  expect(functions('announce').permissions).toContainEqual({
    action: 'events:PutEvents',
    resource: `\${${busId}.Arn}`,
  });
});

test('what was not announced within a day is kept for two weeks', () => {
  const [mapping] = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').values();
  const queues = resourcesOf(template, 'AWS::SQS::Queue');
  const [failedId] = [...queues.keys()].filter((id) => id.includes('FailedAnnouncements'));

  expect(textOf(Object(mapping?.Properties['DestinationConfig']).OnFailure.Destination)).toBe(`\${${failedId}.Arn}`);
  expect(queues.get(failedId ?? '')?.Properties).toMatchObject({ MessageRetentionPeriod: 1_209_600 });
});
