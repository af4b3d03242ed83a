import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { type FunctionName, stateMachineFunctions } from '../../runtime/function-settings.ts';
import { rootFolder } from '../bundling.ts';
import { DavitLogGroup } from './davit-log-group.ts';
import type { Keeping } from './keeping.ts';

/** The properties of the state machine. */
export interface LaunchStateMachineProps extends Keeping {
  functions: Record<FunctionName, { lambda: IFunction }>;
  tracing: boolean;
}

/**
 * The state machine, from the same file that the local runtime and the tests run. CloudFormation fills in only the
 * functions' ARNs and the partition. Its role may invoke the functions that the file names. It logs failures without the
 * execution's data, which contains the caller's input.
 */
export class LaunchStateMachine extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { functions, tracing, ...keeping }: LaunchStateMachineProps) {
    super(scope, id);
    const definition = readFileSync(join(rootFolder, 'statemachine', 'launch.asl.json'), 'utf8');
    const arns = Object.fromEntries(
      Object.entries(stateMachineFunctions).map(([placeholder, name]) => [
        placeholder,
        functions[name].lambda.functionArn,
      ]),
    );
    const destination = new DavitLogGroup(this, 'Logs', { ...keeping, vendedBy: 'states' });
    this.stateMachine = new StateMachine(this, 'Default', {
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromString(definition),
      definitionSubstitutions: { ...arns, Partition: Aws.PARTITION },
      tracingEnabled: tracing,
      logs: { destination, level: LogLevel.ERROR, includeExecutionData: false },
      comment: 'davit: one execution a launch',
    });
    this.stateMachine.addToRolePolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: Object.values(arns) }),
    );
  }
}
