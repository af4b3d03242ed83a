import { Aws, Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  type MetricOptions,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { functionNames } from '../function-permissions.ts';
import { type AlarmId, alarmDescription, doors, neverThrowing, workers } from './alarm-texts.ts';
import type { DavitMetrics } from './davit-metrics.ts';
import { type LambdaMetric, type LambdaSums, lambdaSums } from './lambda-sums.ts';
import type { Monitored } from './monitored.ts';

/** The thresholds of the alarms, and their topic. */
export interface AlarmOptions {
  /**
   * The topic of the alarms. Its policy and its key's policy must allow CloudWatch to publish to it.
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
  /** How many requests the API may refuse in 5 minutes. @default 100 */
  refusedRequests?: number;
}

interface AlarmConditions {
  above?: number;
  periods?: number;
  suffix?: string;
}

const fiveMinutes = Duration.minutes(5);

/** All other functions, so that a new function is in an alarm, too. */
const steps = functionNames.filter((name) => !doors.includes(name) && !workers.includes(name));

/** The metrics of the alarms, and their settings. */
export interface DavitAlarmsProps extends AlarmOptions {
  monitored: Monitored;
  /** Encrypts davit's own topic. @default none: SNS encrypts its storage by itself */
  encryptionKey?: IKey | undefined;
}

type Optional = 'ReconcileStopped' | 'PollStopped';

/** Davit's alarms. Each says what it means and what to do, and notifies one topic. */
export class DavitAlarms extends Construct {
  readonly topic: ITopic;
  /** `ReconcileStopped` exists if davit acts in a CI system, `PollStopped` if it polls one. */
  readonly all: Readonly<Record<Exclude<AlarmId, Optional>, Alarm> & Partial<Record<Optional, Alarm>>>;

  constructor(scope: Construct, id: string, { monitored, encryptionKey, ...options }: DavitAlarmsProps) {
    super(scope, id);
    const { topic, failureRatio = 0.1, timeToAgent = fiveMinutes, oldestLaunch = Duration.hours(1) } = options;
    const { refusedRequests = 100 } = options;
    this.topic = topic ?? this.#makeTopic(encryptionKey);
    const { metrics, functions } = monitored;
    const sumOf = (alarmId: AlarmId, metric: LambdaMetric, names: readonly FunctionName[], periods = 1) => {
      const lambdas = names.map((name) => functions[name].lambda);
      return this.#sumAlarm(alarmId, lambdaSums(lambdas, metric), periods);
    };
    const seconds = oldestLaunch.toSeconds();
    this.all = {
      LaunchesFail: this.#alarm('LaunchesFail', failures(metrics), { above: failureRatio }),
      AgentsAreLate: this.#alarm('AgentsAreLate', metrics.timeToAgent(), {
        above: timeToAgent.toMilliseconds(),
        periods: 3,
      }),
      LaunchHangs: this.#alarm('LaunchHangs', metrics.metric('OldestLaunch', {}, most), { above: seconds, periods: 3 }),
      FunctionsFail: sumOf('FunctionsFail', 'Errors', neverThrowing),
      Defects: this.#alarm('Defects', metrics.metric('Defects'), {}),
      DoorsThrottled: sumOf('DoorsThrottled', 'Throttles', doors, 3),
      WorkersThrottled: sumOf('WorkersThrottled', 'Throttles', workers, 3),
      StepsThrottled: sumOf('StepsThrottled', 'Throttles', steps, 3),
      ApiFails: this.#alarm('ApiFails', apiFaults(monitored), { above: 0.02, periods: 2 }),
      RequestsRefused: this.#alarm('RequestsRefused', refused(monitored), { above: refusedRequests, periods: 2 }),
      SweepStopped: this.#deadMansAlarm('SweepStopped', functions.sweep.lambda),
      ...(monitored.reconcileSchedule && {
        ReconcileStopped: this.#deadMansAlarm('ReconcileStopped', functions.reconcile.lambda),
      }),
      ...(monitored.pollSchedule && { PollStopped: this.#deadMansAlarm('PollStopped', functions['poll-ci'].lambda) }),
      ProbeStopped: this.#deadMansAlarm('ProbeStopped', functions.probe.lambda),
      SweepFindsLeaks: this.#alarm('SweepFindsLeaks', metrics.sweepLeaks(), {}),
      SweepIsBehind: this.#alarm('SweepIsBehind', metrics.metric('SweepUndone'), { periods: 3 }),
      ReconcileRepairs: this.#alarm('ReconcileRepairs', metrics.metric('RepairedSymptoms'), {}),
      ReconcileIsBehind: this.#alarm('ReconcileIsBehind', metrics.metric('ReconcileUndone'), { periods: 3 }),
      ClusterIsAway: this.#alarm('ClusterIsAway', metrics.metric('ClustersDisconnected'), { periods: 2 }),
      CleanUpsFailed: this.#alarm('CleanUpsFailed', sent(monitored.failedCleanUps), { periods: 2 }),
      Undelivered: this.#alarm('Undelivered', waiting(monitored.undelivered), {}),
      EventsNotPublished: this.#alarm('EventsNotPublished', waiting(monitored.unpublishedEvents), {}),
      EventsAreLate: this.#alarm('EventsAreLate', lag(monitored), { above: fiveMinutes.toMilliseconds() }),
      EventsLost: this.#alarm('EventsLost', metrics.metric('EventsNotSent'), {}),
    };
  }

  /** Makes one alarm for each sum. @returns the first, which has the id itself */
  #sumAlarm(id: AlarmId, [first, ...others]: LambdaSums, periods: number): Alarm {
    for (const [index, sum] of others.entries()) this.#alarm(id, sum, { periods, suffix: `${index + 2}` });
    return this.#alarm(id, first, { periods });
  }

  /**
   * @param on.periods how many periods in a row. @default the alarm goes off at once, above zero
   * @param on.suffix sets a further alarm of the same id apart
   */
  #alarm(id: AlarmId, metric: IMetric, on: AlarmConditions): Alarm {
    const { above = 0, periods = 1, suffix = '' } = on;
    return this.#notifying(`${id}${suffix}`, {
      alarmDescription: alarmDescription(id),
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** Makes the alarm that goes off when a scheduled function does not run: no other alarm has data then. */
  #deadMansAlarm(id: AlarmId, lambda: IFunction): Alarm {
    return this.#notifying(id, {
      alarmDescription: alarmDescription(id),
      metric: lambda.metricInvocations({ period: fiveMinutes }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 3,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  #notifying(id: string, props: AlarmProps): Alarm {
    const alarm = new Alarm(this, id, props);
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

/** A few launches prove nothing: one failure of three would be a third. */
function failures(metrics: DavitMetrics): MathExpression {
  return new MathExpression({
    label: 'share of launches that failed',
    expression:
      'IF(FILL(failed, 0) + FILL(connected, 0) >= 5, FILL(failed, 0) / (FILL(failed, 0) + FILL(connected, 0)), 0)',
    usingMetrics: { failed: metrics.launches('failed'), connected: metrics.launches('connected') },
    period: Duration.minutes(15),
  });
}

/** An agent that asks before its token is published gets 503, and API Gateway counts that as a fault. */
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

/** HTTP APIs have no metric of 429 alone, and API Gateway answers it without a function. */
function refused({ api }: Monitored): IMetric {
  return api.stage.metricClientError({ statistic: Stats.SUM, period: fiveMinutes });
}

function waiting(queue: IQueue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible(most);
}

/**
 * The sweep requests a failed clean-up again after a quarter of an hour at most. Two failures in a row mean that this one
 * failed too.
 */
function sent(queue: IQueue): IMetric {
  return queue.metricNumberOfMessagesSent({ statistic: Stats.SUM, period: Duration.minutes(20) });
}

function lag({ functions }: Monitored): IMetric {
  return functions['publish-events'].lambda.metric('IteratorAge', most);
}
