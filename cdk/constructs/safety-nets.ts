import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { sweepIntervalMinutes } from '../../functions/manifest.ts';

/**
 * Cleans up after each execution that ended otherwise than well: most have done so themselves, one that was stopped by
 * hand, timed out, or failed in the middle of CleanUp has not.
 *
 * @see https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
 */
export function cleanUpAfterEndings(scope: Construct, of: { stateMachine: StateMachine; cleanUp: Lambda }): Rule {
  return new Rule(scope, 'CleanUpAfterEndings', {
    description: 'davit: cleans up after executions that failed, timed out or were stopped',
    eventPattern: {
      source: ['aws.states'],
      detailType: ['Step Functions Execution Status Change'],
      detail: {
        stateMachineArn: [of.stateMachine.stateMachineArn],
        status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
      },
    },
    targets: [new LambdaFunction(of.cleanUp)],
  });
}

/**
 * Sweeps every minute. A sweep that fails is not tried again, since the next one is; one that could not begin within the
 * minute is dropped. No concurrency is reserved: the function's time-out is shorter than the minute, two sweeps at once
 * do no harm, and an account whose limit is small could not be deployed to.
 */
export function sweepRegularly(scope: Construct, sweep: Lambda): Rule {
  const maxEventAge = Duration.minutes(sweepIntervalMinutes);
  sweep.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
  return new Rule(scope, 'SweepRegularly', {
    description: 'davit: finds and mends what was left behind',
    schedule: Schedule.rate(Duration.minutes(sweepIntervalMinutes)),
    targets: [new LambdaFunction(sweep, { event: RuleTargetInput.fromObject({}), retryAttempts: 0, maxEventAge })],
  });
}
