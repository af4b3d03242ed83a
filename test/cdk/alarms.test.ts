import { readFileSync } from 'node:fs';
import { Duration } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { functionNames } from '../../cdk/function-permissions.ts';
import { alarmTexts } from '../../cdk/monitoring/alarm-texts.ts';
import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { cleanUpQuietMs } from '../../functions/sweep/judge-launch.ts';
import { SweepInput } from '../../functions/sweep/sweep.ts';
import { type MetricDefinition, metricDefinitions } from '../../runtime/metrics/metric-definitions.ts';
import { endingOf, recordOf } from '../contract/launch-fixtures.ts';
import { config, polledJenkins, resourcesOf, synthesise, textOf } from './synthesise.ts';
import { functionsOf } from './synthesised-function.ts';

const template = synthesise({
  config: { ...config, ciSystems: [...config.ciSystems, polledJenkins] },
  alarms: { failureRatio: 0.25, oldestLaunch: Duration.hours(2) },
});

const MetricShape = z.looseObject({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]),
});
type MetricShape = z.infer<typeof MetricShape>;

const AlarmShape = MetricShape.partial().extend({
  TreatMissingData: z.string(),
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()),
  OKActions: z.array(z.unknown()),
  Threshold: z.number(),
  Metrics: z
    .array(z.looseObject({ Id: z.string(), MetricStat: z.looseObject({ Metric: MetricShape }).optional() }))
    .optional(),
});

const alarms = new Map(
  [...resourcesOf(template, 'AWS::CloudWatch::Alarm')].map(([id, { Properties }]) => [
    id.replace(/^DavitAlarms(\w+?)[0-9A-F]{8}$/, '$1'),
    AlarmShape.parse(Properties),
  ]),
);

/** The metrics of an alarm: a single one, or those of an expression. */
function metricsOf(name: string): MetricShape[] {
  const { Metrics, ...alarm } = AlarmShape.parse(alarms.get(name));
  if (Metrics === undefined) return [MetricShape.parse(alarm)];
  return Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []);
}

/** The metrics of these alarms that AWS emits by itself, with their dimensions. */
const documented: Readonly<Record<string, readonly string[]>> = {
  // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
  'AWS/Lambda': [
    'Errors FunctionName',
    'Throttles FunctionName',
    'IteratorAge FunctionName',
    'Invocations FunctionName',
  ],
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
  'AWS/SQS': ['ApproximateNumberOfMessagesVisible QueueName', 'NumberOfMessagesSent QueueName'],
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
  'AWS/ApiGateway': ['4xx ApiId Stage', '5xx ApiId Stage', 'Count ApiId Stage'],
};

test('every documented alarm exists, and no other', () => {
  expect([...alarms.keys()].toSorted()).toEqual(Object.keys(alarmTexts).toSorted());
});

describe.each(Object.keys(alarmTexts))('the alarm %s', (name) => {
  test('uses metrics that something emits, under these dimensions', () => {
    for (const { Namespace, MetricName, Dimensions } of metricsOf(name)) {
      const keys = Dimensions.map((dimension) => dimension.Name).toSorted();
      if (Namespace !== 'davit') {
        expect(documented[Namespace]).toContain([MetricName, ...keys].join(' '));
        continue;
      }
      const { dimensions }: MetricDefinition = Object(metricDefinitions)[MetricName];
      expect(dimensions.map((set) => ['service', ...set].toSorted())).toContainEqual(keys);
      expect(Dimensions).toContainEqual({ Name: 'service', Value: 'Davit/Davit' });
    }
  });

  test('has one to ten metrics', () => {
    expect(metricsOf(name).length).toBeGreaterThan(0);
    expect(metricsOf(name).length).toBeLessThanOrEqual(10);
  });

  test('says what to do and where to read more, and notifies the topic of trouble and recovery', () => {
    const { AlarmDescription, AlarmActions, OKActions } = AlarmShape.parse(alarms.get(name));
    const [topic] = resourcesOf(template, 'AWS::SNS::Topic').keys();

    expect(AlarmDescription).toMatch(/^davit: .+ What to do: .+ More: docs\/alarms\.md#\w+$/);
    expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
    const anchor = AlarmDescription.split('#').at(-1);
    const headings = readFileSync('docs/alarms.md', 'utf8').matchAll(/^## (\w+)$/gm);
    expect([...headings].map(([, heading]) => heading?.toLowerCase())).toContain(anchor);
    expect([...AlarmActions, ...OKActions].map(textOf)).toEqual([`\${${topic}}`, `\${${topic}}`]);
  });
});

test("alarms cover every function's throttles, and the errors of functions that never throw on purpose", () => {
  const logicalIds = new Map(functionNames.map((name) => [`\${${functionsOf(template)(name).logicalId}}`, name]));
  const functionsIn = (alarm: string) =>
    metricsOf(alarm).map(({ Dimensions }) => logicalIds.get(textOf(Dimensions[0]?.Value)) ?? 'unknown');

  const throttled = ['DoorsThrottled', 'WorkersThrottled', 'StepsThrottled'].flatMap(functionsIn);
  expect(throttled.toSorted()).toEqual(functionNames.toSorted());
  expect(functionsIn('FunctionsFail').toSorted()).toEqual([
    'clusters',
    'connect',
    'jobs',
    'launches',
    'poll-ci',
    'probe',
    'publish-events',
    'reconcile',
    'sweep',
    'webhook',
  ]);
});

test('thresholds can be given', () => {
  expect(alarms.get('LaunchesFail')?.Threshold).toBe(0.25);
  expect(alarms.get('LaunchHangs')?.Threshold).toBe(7200);
});

test.each([
  ['SweepStopped', 'sweep'],
  ['ReconcileStopped', 'reconcile'],
  ['PollStopped', 'poll-ci'],
  ['ProbeStopped', 'probe'],
] as const)('%s goes off when the schedule stops, although nothing is reported then', (alarm, name) => {
  expect(alarms.get(alarm)).toMatchObject({
    MetricName: 'Invocations',
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: functionsOf(template)(name).logicalId } }],
    ComparisonOperator: 'LessThanThreshold',
    Threshold: 1,
    EvaluationPeriods: 3,
    TreatMissingData: 'breaching',
  });
});

test('a davit that acts in no CI system has no schedule of reconcile, and no alarm for it', () => {
  const ciSystems = config.ciSystems.map(({ name }) =>
    CiSystemConfig.parse({ name, provider: 'standard', webhookSecret: 'x' }),
  );
  const passive = synthesise({ config: { ...config, ciSystems } });

  const ids = [...resourcesOf(passive, 'AWS::CloudWatch::Alarm').keys()];

  expect(ids.filter((id) => id.includes('Stopped'))).toHaveLength(2);
  expect(ids.filter((id) => /ReconcileStopped|PollStopped/.test(id))).toEqual([]);
});

test('a flood of wrong signatures, wrong credentials or throttled requests raises an alarm', () => {
  expect(alarms.get('RequestsRefused')).toMatchObject({
    Namespace: 'AWS/ApiGateway',
    MetricName: '4xx',
    Statistic: 'Sum',
    Period: 300,
    Threshold: 100,
    EvaluationPeriods: 2,
  });
});

test('a time without launches raises no alarm', () => {
  const breaching = [...alarms].filter(([, alarm]) => alarm['TreatMissingData'] === 'breaching').map(([name]) => name);

  expect(breaching.toSorted()).toEqual(['PollStopped', 'ProbeStopped', 'ReconcileStopped', 'SweepStopped']);
});

test("a failed clean-up raises an alarm when it fails again after the sweep's request", () => {
  const { graceSeconds } = SweepInput.parse({});
  const inVainForADay = { ending: endingOf({ atEpochMs: 0 }), cleanUpAskedAtEpochMs: 86_400_000 };
  const quietMs = cleanUpQuietMs(recordOf('github-1-2-1', inVainForADay), graceSeconds);

  expect(alarms.get('CleanUpsFailed')).toMatchObject({
    MetricName: 'NumberOfMessagesSent',
    Statistic: 'Sum',
    Period: 1200,
    EvaluationPeriods: 2,
    Threshold: 0,
    TreatMissingData: 'notBreaching',
  });
  expect(quietMs / 1000).toBeLessThan(1200);
});

test("CloudWatch's alarms of this account may publish to the topic, over TLS", () => {
  template.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        Match.objectLike({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]),
    },
  });
});

test('the stack prints the topic, since nobody receives alarms without a subscription', () => {
  const [topic] = resourcesOf(template, 'AWS::SNS::Topic').keys();

  expect(template.findOutputs('AlarmTopic')).toMatchObject({ AlarmTopic: { Value: { Ref: topic } } });
});

test('the dashboard shows only metrics that something emits', () => {
  const [dashboard] = resourcesOf(template, 'AWS::CloudWatch::Dashboard').values();

  const body = textOf(dashboard?.Properties['DashboardBody']);

  const shown = [...body.matchAll(/"davit","(\w+)"|MetricName=\\\\?"(\w+)\\\\?"/g)].map(
    ([, one, other]) => one ?? other,
  );
  expect(shown.length).toBeGreaterThan(10);
  for (const name of shown) expect(Object.keys(metricDefinitions)).toContain(name);
});

test('alarms and dashboard can be turned off', () => {
  const without = synthesise({ alarms: false, dashboard: false });

  for (const type of ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::SNS::Topic']) {
    expect(without.findResources(type)).toEqual({});
  }
});
