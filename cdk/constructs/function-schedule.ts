import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { FailureQueue } from './failure-queue.ts';
import type { Keeping } from './keeping.ts';
import { schedulingStatement, sendingStatement } from './key-statements.ts';

/** The function, the interval, and the queue for failed invocations. */
export interface FunctionScheduleProps extends Pick<Keeping, 'encryptionKey'> {
  target: Lambda;
  intervalMinutes: number;
  /** The schedule's description, such as `the schedule of the sweep`. */
  name: string;
  /** What it does, for people. */
  does: string;
  undelivered: FailureQueue;
}

/**
 * Invokes a function at regular intervals. Does not repeat a failed invocation, because the next one follows. Drops an
 * invocation that cannot begin within its interval. Reserves no concurrency: two at once do no harm, and a deployment to
 * an account with a small limit would fail.
 */
export class FunctionSchedule extends Construct {
  readonly schedule: CfnSchedule;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: FunctionScheduleProps) {
    super(scope, id);
    const { target, intervalMinutes, name, does, undelivered, encryptionKey } = props;
    const maxEventAge = Duration.minutes(intervalMinutes);
    target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
    // The target of CDK's own schedule also allows every version of the function.
    this.role = new Role(this, 'Role', {
      description: `davit: the schedule of ${name}`,
      // Refuses a schedule of another account that names this role.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    });
    this.role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] }));
    this.role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [undelivered.queueArn] }));
    if (encryptionKey !== undefined) {
      this.role.addToPolicy(sendingStatement(this, encryptionKey));
      this.role.addToPolicy(schedulingStatement(this, encryptionKey));
    }
    this.schedule = new CfnSchedule(this, 'Schedule', {
      description: `davit: ${does}`,
      scheduleExpression: `rate(${intervalMinutes} ${intervalMinutes === 1 ? 'minute' : 'minutes'})`,
      flexibleTimeWindow: { mode: 'OFF' },
      ...(encryptionKey === undefined ? {} : { kmsKeyArn: encryptionKey.keyArn }),
      target: {
        arn: target.functionArn,
        roleArn: this.role.roleArn,
        input: JSON.stringify({}),
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: maxEventAge.toSeconds() },
        deadLetterConfig: { arn: undelivered.queueArn },
      },
    });
    // The role and its policy are two resources: without the policy, the first invocations would be refused.
    this.schedule.node.addDependency(this.role);
  }
}
