import { Aws, Duration } from 'aws-cdk-lib';
import type { IMetric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { Alarm, ComparisonOperator, MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { FunctionName } from '../../functions/manifest.ts';
import type { Davit } from '../constructs/davit.ts';
import { type AlarmId, alarmDescription } from './alarm-definitions.ts';

/** When alarms go off, and who is told. */
export interface AlarmOptions {
  /**
   * Who is told. CloudWatch has to be allowed to publish to it.
   *
   * @default a topic of davit's own, `davit.alarms.topic`, which is to be subscribed to
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

/** The functions that throw for no reason but a fault; of a step, an error is as a rule how it says to wait. */
const neverThrowing: readonly FunctionName[] = ['webhook', 'launches', 'connect', 'sweep', 'announce'];
const doors: readonly FunctionName[] = ['webhook', 'launches', 'connect'];
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
  'announce',
];

/** Davit's alarms: each says what it means and what to do, and tells one topic. */
export class DavitAlarms extends Construct {
  readonly topic: ITopic;
  readonly all: Readonly<Record<AlarmId, Alarm>>;

  constructor(davit: Davit, id: string, options: AlarmOptions = {}) {
    super(davit, id);
    const { topic, failureRatio = 0.1, timeToAgent = fiveMinutes, oldestLaunch = Duration.hours(1) } = options;
    this.topic = topic ?? this.#makeTopic();
    const sum = (name: 'Errors' | 'Throttles', functions: readonly FunctionName[]) => sumOf(davit, name, functions);
    const seconds = oldestLaunch.toSeconds();
    const whenSilent = TreatMissingData.BREACHING;
    this.all = {
      LaunchesFail: this.#alarm('LaunchesFail', failures(davit), { above: failureRatio }),
      AgentsAreLate: this.#alarm('AgentsAreLate', davit.metricTimeToAgent(), {
        above: timeToAgent.toMilliseconds(),
        periods: 3,
      }),
      // The sweep tells it each minute: that it is not told is as bad.
      LaunchHangs: this.#alarm('LaunchHangs', davit.metric('OldestLaunch', {}, most), {
        above: seconds,
        periods: 3,
        whenSilent,
      }),
      FunctionsFail: this.#alarm('FunctionsFail', sum('Errors', neverThrowing), {}),
      Defects: this.#alarm('Defects', davit.metric('Defects'), {}),
      DoorsThrottled: this.#alarm('DoorsThrottled', sum('Throttles', doors), { periods: 3 }),
      StepsThrottled: this.#alarm('StepsThrottled', sum('Throttles', steps), { periods: 3 }),
      ApiFails: this.#alarm('ApiFails', apiFaults(davit), { above: 0.02, periods: 2 }),
      SweepFindsLeaks: this.#alarm('SweepFindsLeaks', davit.metricSweepLeaks(), {}),
      SweepIsBehind: this.#alarm('SweepIsBehind', davit.metric('SweepUndone'), { periods: 3 }),
      CleanUpsFailed: this.#alarm('CleanUpsFailed', waiting(davit.failedCleanUps), {}),
      Undelivered: this.#alarm('Undelivered', waiting(davit.undelivered), {}),
      AnnouncementsFailed: this.#alarm('AnnouncementsFailed', waiting(davit.failedAnnouncements), {}),
      AnnouncementsAreLate: this.#alarm('AnnouncementsAreLate', lag(davit), { above: fiveMinutes.toMilliseconds() }),
      EventsLost: this.#alarm('EventsLost', davit.metric('EventsNotSent'), {}),
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

  /** A topic with a policy of its own has none of those that a topic has by default: CloudWatch is let in here. */
  #makeTopic(): Topic {
    const topic = new Topic(this, 'Topic', { displayName: 'davit alarms', enforceSSL: true });
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
function failures(davit: Davit): MathExpression {
  return new MathExpression({
    label: 'share of launches that failed',
    expression:
      'IF(FILL(failed, 0) + FILL(connected, 0) >= 5, FILL(failed, 0) / (FILL(failed, 0) + FILL(connected, 0)), 0)',
    usingMetrics: { failed: davit.metricLaunches('failed'), connected: davit.metricLaunches('connected') },
    period: Duration.minutes(15),
  });
}

/** An agent that asks before its token is out is answered 503, and API Gateway counts that as a fault. */
function apiFaults(davit: Davit): MathExpression {
  const { stage } = davit.api;
  return new MathExpression({
    label: 'share of requests that failed',
    expression: 'IF(requests >= 20, (FILL(faults, 0) - FILL(early, 0)) / requests, 0)',
    usingMetrics: {
      requests: stage.metricCount(),
      faults: stage.metricServerError({ statistic: Stats.SUM }),
      early: davit.metric('HttpAnswers', { function: 'connect', status: '503' }),
    },
    period: fiveMinutes,
  });
}

/** CloudWatch alarms on ten metrics at most. */
function sumOf(davit: Davit, name: 'Errors' | 'Throttles', functions: readonly FunctionName[]): MathExpression {
  const metrics = functions.map((functionName, index) => {
    const { lambda } = davit.functions[functionName];
    return [`m${index}`, name === 'Errors' ? lambda.metricErrors() : lambda.metricThrottles()] as const;
  });
  return new MathExpression({
    label: name,
    expression: metrics.map(([id]) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics),
    period: fiveMinutes,
  });
}

function waiting(queue: Davit['failedCleanUps']): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible(most);
}

function lag(davit: Davit): IMetric {
  return davit.functions.announce.lambda.metric('IteratorAge', most);
}
