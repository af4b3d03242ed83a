import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { DefinitionBody, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import type { FunctionName } from '../../functions/manifest.ts';
import { rootFolder } from '../bundling.ts';
import { isFunctionName } from '../function-needs.ts';

/** What the state machine is made of. */
export interface LaunchStateMachineProps {
  functions: Record<FunctionName, { lambda: IFunction }>;
  tracing: boolean;
}

/**
 * Makes the state machine from the very file that the local runtime and the tests run: CloudFormation puts the
 * functions' ARNs in, and nothing else is changed. Its role may invoke the functions that the file names.
 *
 * @throws Error when the file names a function that there is not
 */
export function launchStateMachine(scope: Construct, id: string, props: LaunchStateMachineProps): StateMachine {
  const definition = readFileSync(join(rootFolder, 'statemachine', 'launch.asl.json'), 'utf8');
  const arns = Object.fromEntries(
    placeholdersOf(definition).map((placeholder) => [
      placeholder,
      props.functions[functionNameOf(placeholder)].lambda.functionArn,
    ]),
  );
  const stateMachine = new StateMachine(scope, id, {
    stateMachineType: StateMachineType.STANDARD,
    definitionBody: DefinitionBody.fromString(definition),
    definitionSubstitutions: arns,
    tracingEnabled: props.tracing,
    comment: 'davit: one execution a launch',
  });
  stateMachine.addToRolePolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: Object.values(arns) }),
  );
  return stateMachine;
}

function placeholdersOf(definition: string): string[] {
  return [...new Set([...definition.matchAll(/\$\{([^}]*)\}/g)].map(([, placeholder = '']) => placeholder))];
}

/** `PollHostIPFunctionArn` is of `poll-host-ip`. */
function functionNameOf(placeholder: string): FunctionName {
  const name = placeholder
    .replace(/FunctionArn$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase();
  if (isFunctionName(name)) return name;
  throw new Error(`statemachine/launch.asl.json: \${${placeholder}} is of no function: there is no functions/${name}`);
}
