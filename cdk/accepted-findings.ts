import { type App, Stack, Token, Validations } from 'aws-cdk-lib';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import type { Davit } from './constructs/davit.ts';

/** A finding of cdk-nag's that stays, where, and why. */
export interface AcceptedFinding {
  /** The rule, with what it found in brackets where it can find several things. */
  id: string;
  constructs: readonly IConstruct[];
  reason: string;
}

/**
 * Has cdk-nag judge an app by its AwsSolutions rules when it is synthesised; what they find stops it, but for what is
 * accepted of this davit.
 *
 * @see https://github.com/cdklabs/cdk-nag/blob/main/RULES.md#awssolutions
 */
export function holdToAwsSolutions(app: App, davit: Davit): void {
  for (const { id, constructs, reason } of acceptedFindings(davit)) {
    for (const construct of constructs) Validations.of(construct).acknowledge({ id, reason });
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}

/** Everything that is accepted, in this one place. That no role has more than these wildcards, permissions.test.ts shows. */
export function acceptedFindings(davit: Davit): AcceptedFinding[] {
  const { webhook, launches, sweep } = davit.functions;
  return [
    {
      id: 'AwsSolutions-IAM5[Resource::*]',
      constructs: [...Object.values(davit.functions), davit.stateMachine],
      reason: 'Traces, network interfaces and deliveries of logs have no ARN of their own: AWS asks for * there.',
    },
    {
      id: `AwsSolutions-IAM5[Resource::${executionsOf(davit)}]`,
      constructs: [webhook, launches, sweep],
      reason: 'An execution has its launch’s name, which is not known before: all of this one state machine.',
    },
    {
      id: 'AwsSolutions-SMG4',
      constructs: [davit.credentialKey],
      reason: 'Agents that are about to connect hold credentials of the key: people choose when it is replaced.',
    },
    {
      id: 'AwsSolutions-SF1',
      constructs: [davit.stateMachine],
      reason:
        'Failures are logged; each event of each launch is in the execution’s history, for 90 days, and costs once.',
    },
    {
      id: 'AwsSolutions-APIG4',
      constructs: davit.api.publicRoutes,
      reason: 'Webhooks are signed, and agents have a credential: the functions check them before anything else.',
    },
    {
      id: 'AwsSolutions-SQS3',
      constructs: [davit.failedCleanUps, davit.failedAnnouncements, davit.undelivered],
      reason: 'These are where what failed ends up: functions and schedules send to them, which the rule does not see.',
    },
  ];
}

/** The executions’ ARNs, as cdk-nag writes them. */
function executionsOf({ stateMachine }: Davit): string {
  const stack = Stack.of(stateMachine);
  const machine = stateMachine.node.defaultChild;
  if (!CfnStateMachine.isCfnStateMachine(machine)) throw new Error(`${stateMachine.node.path} is no state machine`);
  const name = stack.getLogicalId(machine);
  const place = `${known(stack.region, 'Region')}:${known(stack.account, 'AccountId')}`;
  return `arn:${known(stack.partition, 'Partition')}:states:${place}:execution:<${name}.Name>:*`;
}

function known(value: string, pseudoParameter: string): string {
  return Token.isUnresolved(value) ? `<AWS::${pseudoParameter}>` : value;
}
