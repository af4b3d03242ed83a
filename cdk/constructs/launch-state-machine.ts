import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Aws, type RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { type FunctionName, stateMachineFunctions } from '../../functions/manifest.ts';
import { rootFolder } from '../bundling.ts';

/** What the state machine is made of. */
export interface LaunchStateMachineProps {
  functions: Record<FunctionName, { lambda: IFunction }>;
  tracing: boolean;
  logRetention: RetentionDays;
  removalPolicy: RemovalPolicy;
}

/**
 * Makes the state machine from the very file that the local runtime and the tests run: CloudFormation puts the
 * functions' ARNs and the partition in, and nothing else is changed. Its role may invoke the functions that the file
 * names. Failures are logged without the execution's data, which has the caller's words in it.
 */
export function launchStateMachine(scope: Construct, id: string, props: LaunchStateMachineProps): StateMachine {
  const definition = readFileSync(join(rootFolder, 'statemachine', 'launch.asl.json'), 'utf8');
  const arns = Object.fromEntries(
    Object.entries(stateMachineFunctions).map(([placeholder, name]) => [
      placeholder,
      props.functions[name].lambda.functionArn,
    ]),
  );
  const { tracing, logRetention, removalPolicy } = props;
  const destination = new LogGroup(scope, `${id}Logs`, { retention: logRetention, removalPolicy });
  const stateMachine = new StateMachine(scope, id, {
    stateMachineType: StateMachineType.STANDARD,
    definitionBody: DefinitionBody.fromString(definition),
    definitionSubstitutions: { ...arns, Partition: Aws.PARTITION },
    tracingEnabled: tracing,
    logs: { destination, level: LogLevel.ERROR, includeExecutionData: false },
    comment: 'davit: one execution a launch',
  });
  stateMachine.addToRolePolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: Object.values(arns) }),
  );
  return stateMachine;
}
