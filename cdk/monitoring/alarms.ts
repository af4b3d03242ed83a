import { Aws, Duration } from 'aws-cdk-lib';
import type { IMetric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Alarm, ComparisonOperator, MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FunctionName } from '../../functions/manifest.ts';
import { type AlarmId, alarmDescription } from './alarm-definitions.ts';
import type { DavitMetrics } from './davit-metrics.ts';
import type { Monitored } from './monitored.ts';

/** When alarms go off, and where they are sent. */
export interface AlarmOptions {
  /**
   * Where alarms are sent. Its policy, and that of its key, have to allow CloudWatch to publish to it.
   *
   * @default a topic of davit's own, `davit.alarms.topic`: subscribe to it
   */
  topic?: ITopic;
  /** The share of launches that may fail. @default 0.1 */
  failureRatio?: number;
  /** How long nine of ten launches may take. @default 5 minutes */
  timeToAgent?: Duration;
  /** How long a launch may be under way, or be cleaned up. @default 1 hour */
  oldestLaunch?: Duration;
}

const fiveMinutes = Duration.minutes(5);

/** The functions that throw only because of a fault. A step throws to say that it has to wait. */
const neverThrowing: readonly FunctionName[] = [
  'webhook',
  'launches',
  'connect',
  'sweep',
  'reconcile',
  'publish-events',
];
/** What answers, and what acts in CI systems. */
const doors: readonly FunctionName[] = [
  'webhook',
  'launches',
  'connect',
  'register-runner',
  'retire-runner',
  'reconcile',
];
const steps: readonly FunctionName[] = [
  'create-service',
  'poll-node-port',
  'create-pod',
  'poll-host-ip',
  'publish-token',
  'await-agent',
  'relaunch',
  'clean-up',
  'sweep',
  'publish-events',
];

/** What the alarms look at, and how. */
export interface DavitAlarmsProps extends AlarmOptions {
  monitored: Monitored;
  /** Encrypts davit's own topic. @default none: SNS encrypts its storage by itself */
  encryptionKey?: IKey | undefined;
}

/** Davit's alarms. Each says what it means and what to do, and notifies one topic. */
export class DavitAlarms extends Construct {
  readonly topic: ITopic;
  readonly all: Readonly<Record<AlarmId, Alarm>>;

  constructor(scope: Construct, id: string, { monitored, encryptionKey, ...options }: DavitAlarmsProps) {
    super(scope, id);
    const { topic, failureRatio = 0.1, timeToAgent = fiveMinutes, oldestLaunch = Duration.hours(1) } = options;
    this.topic = topic ?? this.#makeTopic(encryptionKey);
    const { metrics, functions } = monitored;
    const sum = (name: 'Errors' | 'Throttles', names: readonly FunctionName[]) => sumOf(functions, name, names);
    const seconds = oldestLaunch.toSeconds();
    const whenSilent = TreatMissingData.BREACHING;
    this.all = {
      LaunchesFail: this.#alarm('LaunchesFail', failures(metrics), { above: failureRatio }),
      AgentsAreLate: this.#alarm('AgentsAreLate', metrics.timeToAgent(), {
        above: timeToAgent.toMilliseconds(),
        periods: 3,
      }),
      // The sweep writes it each minute: missing data is as bad as a high value.
      LaunchHangs: this.#alarm('LaunchHangs', metrics.metric('OldestLaunch', {}, most), {
        above: seconds,
        periods: 3,
        whenSilent,
      }),
      FunctionsFail: this.#alarm('FunctionsFail', sum('Errors', neverThrowing), {}),
      Defects: this.#alarm('Defects', metrics.metric('Defects'), {}),
      DoorsThrottled: this.#alarm('DoorsThrottled', sum('Throttles', doors), { periods: 3 }),
      StepsThrottled: this.#alarm('StepsThrottled', sum('Throttles', steps), { periods: 3 }),
      ApiFails: this.#alarm('ApiFails', apiFaults(monitored), { above: 0.02, periods: 2 }),
      SweepFindsLeaks: this.#alarm('SweepFindsLeaks', metrics.sweepLeaks(), {}),
      SweepIsBehind: this.#alarm('SweepIsBehind', metrics.metric('SweepUndone'), { periods: 3 }),
      ReconcileRepairs: this.#alarm('ReconcileRepairs', metrics.metric('RepairedSymptoms'), {}),
      ReconcileIsBehind: this.#alarm('ReconcileIsBehind', metrics.metric('ReconcileUndone'), { periods: 3 }),
      CleanUpsFailed: this.#alarm('CleanUpsFailed', sent(monitored.failedCleanUps), { periods: 2 }),
      Undelivered: this.#alarm('Undelivered', waiting(monitored.undelivered), {}),
      EventsNotPublished: this.#alarm('EventsNotPublished', waiting(monitored.unpublishedEvents), {}),
      EventsAreLate: this.#alarm('EventsAreLate', lag(monitored), { above: fiveMinutes.toMilliseconds() }),
      EventsLost: this.#alarm('EventsLost', metrics.metric('EventsNotSent'), {}),
    };
  }

  /** @param periods how many in a row; an alarm that says nothing else goes off at once, above zero */
  #alarm(id: AlarmId, metric: IMetric, on: { above?: number; periods?: number; whenSilent?: TreatMissingData }): Alarm {
    const { above = 0, periods = 1, whenSilent = TreatMissingData.NOT_BREACHING } = on;
    const alarm = new Alarm(this, id, {
      alarmDescription: alarmDescription(id),
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: whenSilent,
    });
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    return alarm;
  }

  /** A policy replaces the one that a topic has by default, so it has to allow CloudWatch to publish. */
  #makeTopic(encryptionKey: IKey | undefined): Topic {
    const key = encryptionKey === undefined ? {} : { masterKey: encryptionKey };
    const topic = new Topic(this, 'Topic', { displayName: 'davit alarms', enforceSSL: true, ...key });
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    return topic;
  }
}

const most: MetricOptions = { statistic: Stats.MAXIMUM, period: fiveMinutes };

/** A few launches say nothing: one of three that fails would be a third. */
function failures(metrics: DavitMetrics): MathExpression {
  return new MathExpression({
    label: 'share of launches that failed',
    expression:
      'IF(FILL(failed, 0) + FILL(connected, 0) >= 5, FILL(failed, 0) / (FILL(failed, 0) + FILL(connected, 0)), 0)',
    usingMetrics: { failed: metrics.launches('failed'), connected: metrics.launches('connected') },
    period: Duration.minutes(15),
  });
}

/** An agent that asks before its token is out is answered 503, and API Gateway counts that as a fault. */
function apiFaults({ api, metrics }: Monitored): MathExpression {
  return new MathExpression({
    label: 'share of requests that failed',
    expression: 'IF(requests >= 20, (FILL(faults, 0) - FILL(early, 0)) / requests, 0)',
    usingMetrics: {
      requests: api.stage.metricCount(),
      faults: api.stage.metricServerError({ statistic: Stats.SUM }),
      early: metrics.metric('HttpAnswers', { function: 'connect', status: '503' }),
    },
    period: fiveMinutes,
  });
}

/** CloudWatch alarms on ten metrics at most. */
function sumOf(
  functions: Monitored['functions'],
  name: 'Errors' | 'Throttles',
  names: readonly FunctionName[],
): MathExpression {
  const metrics = names.map((functionName, index) => {
    const { lambda } = functions[functionName];
    return [`m${index}`, name === 'Errors' ? lambda.metricErrors() : lambda.metricThrottles()] as const;
  });
  return new MathExpression({
    label: name,
    expression: metrics.map(([id]) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics),
    period: fiveMinutes,
  });
}

function waiting(queue: IQueue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible(most);
}

/** The sweep asks again for a clean-up that failed, at the latest after a quarter of an hour: twice in a row, it failed too. */
function sent(queue: IQueue): IMetric {
  return queue.metricNumberOfMessagesSent({ statistic: Stats.SUM, period: Duration.minutes(20) });
}

function lag({ functions }: Monitored): IMetric {
  return functions['publish-events'].lambda.metric('IteratorAge', most);
}
