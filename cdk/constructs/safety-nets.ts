import { Aws, Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { stoppedByDavit } from '../../functions/domain/execution-ending.ts';
import { sweepIntervalMinutes } from '../../functions/manifest.ts';
import { failureQueue } from './failure-queue.ts';
import { sendingStatement } from './key-statements.ts';

/**
 * Cleans up after each execution that ended otherwise than well: most have done so themselves, one that was stopped by
 * hand, timed out, or failed in the middle of CleanUp has not. Of one that davit stopped, the clean-up was asked for
 * before. What EventBridge cannot hand to it for a day is kept.
 *
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
 * @see docs/adr/0015-who-stops-an-execution-has-asked-for-its-clean-up.md
 */
export function cleanUpAfterEndings(
  scope: Construct,
  of: { stateMachine: StateMachine; cleanUp: Lambda; undelivered: Queue },
): Rule {
  return new Rule(scope, 'CleanUpAfterEndings', {
    description: 'davit: cleans up after executions that failed, timed out or were stopped',
    eventPattern: {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: {
        stateMachineArn: [of.stateMachine.stateMachineArn],
        $or: [
          { status: ['FAILED', 'TIMED_OUT'] },
          { status: ['ABORTED'], error: [{ exists: false }] },
          { status: ['ABORTED'], error: [{ 'anything-but': [stoppedByDavit] }] },
        ],
      },
    },
    targets: [new LambdaFunction(of.cleanUp, { deadLetterQueue: of.undelivered })],
  });
}

/**
 * Keeps clean-ups that failed whenever they were tried. One that a webhook asks for is queued by Lambda, which tries it
 * three times.
 */
export function keepFailedCleanUps(scope: Construct, cleanUp: Lambda, encryptionKey: IKey | undefined): Queue {
  const queue = failureQueue(scope, 'FailedCleanUps', cleanUp, encryptionKey);
  cleanUp.configureAsyncInvoke({ retryAttempts: 2, onFailure: { bind: () => ({ destination: queue.queueArn }) } });
  return queue;
}

/**
 * Sweeps every minute. A sweep that fails is not tried again, since the next one is; one that could not begin within the
 * minute is dropped, and one that could not be asked for is kept. No concurrency is reserved: the function's time-out is shorter than the minute, two sweeps at once
 * do no harm, and an account whose limit is small could not be deployed to.
 */
export function sweepRegularly(scope: Construct, sweep: Lambda, undelivered: Queue): CfnSchedule {
  const maxEventAge = Duration.minutes(sweepIntervalMinutes);
  sweep.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
  // CDK's own target would let the schedule invoke every version of the function as well.
  const role = new Role(scope, 'SweepScheduleRole', {
    description: 'davit: the schedule of the sweep',
    // Another account's schedule that is told to use this role is refused.
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  });
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [sweep.functionArn] }));
  role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [undelivered.queueArn] }));
  const { encryptionMasterKey: key } = undelivered;
  if (key !== undefined) role.addToPolicy(sendingStatement(scope, key));
  return new CfnSchedule(scope, 'SweepSchedule', {
    description: 'davit: finds and mends what was left behind',
    scheduleExpression: `rate(${sweepIntervalMinutes} ${sweepIntervalMinutes === 1 ? 'minute' : 'minutes'})`,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: sweep.functionArn,
      roleArn: role.roleArn,
      input: JSON.stringify({}),
      retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: maxEventAge.toSeconds() },
      deadLetterConfig: { arn: undelivered.queueArn },
    },
  });
}
