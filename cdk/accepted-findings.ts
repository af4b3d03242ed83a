import { type App, CfnResource, Stack, Token, Validations } from 'aws-cdk-lib';
import { CfnStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import type { Davit } from './constructs/davit.ts';
import { runsInVpc } from './function-permissions.ts';

/** An accepted finding of cdk-nag or checkov, with its place and the reason. */
export interface AcceptedFinding {
  /** The rule. For cdk-nag, with the finding in brackets if the rule can have several. */
  id: string;
  constructs: readonly IConstruct[];
  reason: string;
}

/**
 * Checks an app against cdk-nag's AwsSolutions rules when it is synthesised. A finding stops the synthesis, unless it is
 * accepted for this davit.
 *
 * @see https://github.com/cdklabs/cdk-nag/blob/main/RULES.md#awssolutions
 */
export function holdToAwsSolutions(app: App, davit: Davit): void {
  for (const { id, constructs, reason } of acceptedFindings(davit)) {
    for (const construct of constructs) Validations.of(construct).acknowledge({ id, reason });
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}

/**
 * Writes the accepted findings of checkov into the template, where checkov reads them.
 *
 * @see https://www.checkov.io/2.Basics/Suppressing%20and%20Skipping%20Policies.html
 */
export function acceptCheckovFindings(davit: Davit): void {
  const skipped = new Map<CfnResource, { id: string; comment: string }[]>();
  for (const { id, constructs, reason } of acceptedCheckovFindings(davit)) {
    for (const construct of constructs) {
      const resource = resourceOf(construct);
      skipped.set(resource, [...(skipped.get(resource) ?? []), { id, comment: reason }]);
    }
  }
  for (const [resource, skip] of skipped) resource.addMetadata('checkov', { skip });
}

/** Lists every accepted finding of cdk-nag. permissions.test.ts shows that no role has more wildcards than these. */
export function acceptedFindings(davit: Davit): AcceptedFinding[] {
  const { webhook, launches, 'retire-runner': retireRunner, sweep, 'poll-ci': pollCi } = davit.functions;
  return [
    {
      id: 'AwsSolutions-IAM5[Resource::*]',
      constructs: [...Object.values(davit.functions), davit.stateMachine],
      reason: 'Traces, network interfaces and log deliveries have no ARN of their own: AWS asks for * there.',
    },
    {
      id: `AwsSolutions-IAM5[Resource::${executionsOf(davit)}]`,
      constructs: [webhook, launches, retireRunner, sweep, pollCi],
      reason: 'An execution is named after its launch, which is not known before: all of this one state machine.',
    },
    {
      id: 'AwsSolutions-SMG4',
      constructs: [davit.credentialKey],
      reason: 'Agents that are about to connect hold credentials of the key: people choose when to replace it.',
    },
    {
      id: 'AwsSolutions-SF1',
      constructs: [davit.stateMachine],
      reason: 'Failures are logged. The execution history has each event for 90 days, and would be paid for twice.',
    },
    {
      id: 'AwsSolutions-APIG4',
      constructs: davit.api.publicRoutes,
      reason: 'Webhooks are signed, and agents have a credential: the functions check them before anything else.',
    },
    {
      id: 'AwsSolutions-SQS3',
      constructs: [davit.failedCleanUps, davit.unpublishedEvents, davit.undelivered],
      reason: 'These are the dead-letter queues. Functions and schedules send to them, which the rule does not see.',
    },
  ];
}

/** Lists every accepted finding of checkov in a davit that uses every option: a key, a VPC, reserved concurrency. */
export function acceptedCheckovFindings(davit: Davit): AcceptedFinding[] {
  const functions = Object.values(davit.functions);
  const inVpc = davit.network === undefined ? [] : functions.filter(({ functionName }) => runsInVpc(functionName));
  return [
    {
      id: 'CKV_AWS_116',
      constructs: functions.map(({ lambda }) => lambda),
      reason:
        'clean-up and publish-events keep failures in queues, the next sweep or reconcile makes up for one that fails, ' +
        'reconcile requests an unfinished retirement again, and the caller of every other function waits for its answer.',
    },
    {
      id: 'CKV_AWS_117',
      constructs: functions.filter((one) => !inVpc.includes(one)).map(({ lambda }) => lambda),
      reason: 'Only the functions that reach clusters or CI systems run in the VPC: the others call AWS alone.',
    },
    {
      id: 'CKV_AWS_111',
      constructs: inVpc.map(({ role }) => role.node.findChild('DefaultPolicy')),
      reason:
        'Lambda attaches the function to the VPC in its name; network interfaces that do not exist yet have no ARN. The ' +
        "same policy denies it to the function's own code.",
    },
  ];
}

function resourceOf(construct: IConstruct): CfnResource {
  const resource = construct.node.defaultChild;
  if (CfnResource.isCfnResource(resource)) return resource;
  throw new Error(`${construct.node.path} is no resource`);
}

/** The executions' ARNs, as cdk-nag writes them. */
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
