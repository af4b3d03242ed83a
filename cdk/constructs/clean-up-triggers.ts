import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { stoppedByDavit } from '../../core/launch/execution-ending.ts';
import { FailureQueue } from './failure-queue.ts';
import type { Keeping } from './keeping.ts';

/** The resources that request clean-ups, and the function that does them. */
export interface CleanUpTriggersProps extends Pick<Keeping, 'encryptionKey'> {
  stateMachine: StateMachine;
  cleanUp: Lambda;
  /** Keeps the ends of executions that EventBridge cannot hand to clean-up for a day. */
  undelivered: FailureQueue;
}

/**
 * Runs clean-up outside of the state machine: for each execution that did not succeed, and for each request of a function.
 *
 * Most failed executions have cleaned up themselves. An execution has not if a person stopped it, if it timed out, or
 * if it failed in the middle of CleanUp. The rule leaves out executions that davit stopped, because davit requests the
 * clean-up before it stops them.
 *
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
 * @see docs/adr/0015-ask-for-the-clean-up-before-stopping.md
 */
export class CleanUpTriggers extends Construct {
  readonly rule: Rule;
  /** Clean-ups that failed in each of Lambda's three attempts. */
  readonly failedCleanUps: FailureQueue;

  constructor(scope: Construct, id: string, props: CleanUpTriggersProps) {
    super(scope, id);
    const { stateMachine, cleanUp, undelivered } = props;
    this.rule = new Rule(this, 'AfterEndings', {
      description: 'davit: cleans up after executions that failed, timed out or were stopped',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          stateMachineArn: [stateMachine.stateMachineArn],
          $or: [
            { status: ['FAILED', 'TIMED_OUT'] },
            { status: ['ABORTED'], error: [{ exists: false }] },
            { status: ['ABORTED'], error: [{ 'anything-but': [stoppedByDavit] }] },
          ],
        },
      },
      targets: [new LambdaFunction(cleanUp, { deadLetterQueue: undelivered })],
    });
    const failed = new FailureQueue(this, 'FailedCleanUps', props);
    failed.letSend(cleanUp);
    cleanUp.configureAsyncInvoke({ retryAttempts: 2, onFailure: { bind: () => ({ destination: failed.queueArn }) } });
    this.failedCleanUps = failed;
  }
}
