import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { sweepIntervalMinutes } from '../../functions/manifest.ts';
import type { FailureQueue } from './failure-queue.ts';
import type { Keeping } from './keeping.ts';
import { schedulingStatement, sendingStatement } from './key-statements.ts';

/** What sweeps, and where a sweep goes that cannot be asked for. */
export interface SweepScheduleProps extends Pick<Keeping, 'encryptionKey'> {
  sweep: Lambda;
  undelivered: FailureQueue;
}

/**
 * Runs the sweep every minute. A sweep that fails is not repeated, because the next one follows. A sweep that cannot begin
 * within its minute is dropped. No concurrency is reserved: the function's time-out is shorter than the minute, two sweeps
 * at once do no harm, and an account with a small limit could not be deployed to.
 */
export class SweepSchedule extends Construct {
  readonly schedule: CfnSchedule;
  readonly role: Role;

  constructor(scope: Construct, id: string, { sweep, undelivered, encryptionKey }: SweepScheduleProps) {
    super(scope, id);
    const maxEventAge = Duration.minutes(sweepIntervalMinutes);
    sweep.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
    // The target of CDK's own schedule also allows every version of the function.
    this.role = new Role(this, 'Role', {
      description: 'davit: the schedule of the sweep',
      // A schedule of another account that names this role is refused.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    });
    this.role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [sweep.functionArn] }));
    this.role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [undelivered.queueArn] }));
    if (encryptionKey !== undefined) {
      this.role.addToPolicy(sendingStatement(this, encryptionKey));
      this.role.addToPolicy(schedulingStatement(this, encryptionKey));
    }
    this.schedule = new CfnSchedule(this, 'Schedule', {
      description: 'davit: finds and mends what was left behind',
      scheduleExpression: `rate(${sweepIntervalMinutes} ${sweepIntervalMinutes === 1 ? 'minute' : 'minutes'})`,
      flexibleTimeWindow: { mode: 'OFF' },
      ...(encryptionKey === undefined ? {} : { kmsKeyArn: encryptionKey.keyArn }),
      target: {
        arn: sweep.functionArn,
        roleArn: this.role.roleArn,
        input: JSON.stringify({}),
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: maxEventAge.toSeconds() },
        deadLetterConfig: { arn: undelivered.queueArn },
      },
    });
    // The role and its policy are two resources: without the policy, the first sweeps would be refused.
    this.schedule.node.addDependency(this.role);
  }
}
