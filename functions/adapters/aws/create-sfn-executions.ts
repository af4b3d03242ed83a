import type { SFNClient } from '@aws-sdk/client-sfn';
import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { LaunchPlan } from '../../domain/launch-state.ts';
import type { Executions } from '../../ports/executions.ts';
import { callAws } from './to-transient.ts';

/** The state machine whose executions are the launches, and the client that reaches it. */
export interface LaunchMachine {
  client: SFNClient;
  /** May be qualified by a version or an alias. */
  stateMachineArn: string;
}

/**
 * Runs launches as Step Functions executions: needs states:StartExecution on the state machine and
 * states:StopExecution on its executions.
 */
export function createSfnExecutions(machine: LaunchMachine): Executions {
  return {
    start: (plan) => start(machine, plan),
    stop: (launchId, cause) => stop(machine, launchId, cause),
  };
}

/**
 * Derives the ARN of a launch's execution, which carries the state machine's name and no version or alias.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsstepfunctions.html#awsstepfunctions-resources-for-iam-policies
 * @throws Error for what is not a state machine's ARN
 */
export function executionArnOf(stateMachineArn: string, launchId: string): string {
  const parts = /^(arn:[^:]+:states:[^:]*:[^:]*):stateMachine:([^:/]+)(?::[^:]+)?$/.exec(stateMachineArn);
  if (parts === null) throw new Error(`expected the ARN of a state machine, found ${stateMachineArn}`);
  return `${parts[1]}:execution:${parts[2]}:${launchId}`;
}

async function start({ client, stateMachineArn }: LaunchMachine, plan: LaunchPlan): Promise<boolean> {
  const command = new StartExecutionCommand({ stateMachineArn, name: plan.launchId, input: inputOf(plan) });
  try {
    await callAws('Step Functions StartExecution', () => client.send(command));
    return true;
  } catch (error) {
    if (error instanceof ExecutionAlreadyExists) return false;
    throw error;
  }
}

async function stop({ client, stateMachineArn }: LaunchMachine, launchId: string, cause: string): Promise<void> {
  const executionArn = executionArnOf(stateMachineArn, launchId);
  const command = new StopExecutionCommand({ executionArn, error: 'Terminated', cause });
  try {
    await callAws('Step Functions StopExecution', () => client.send(command));
  } catch (error) {
    if (!(error instanceof ExecutionDoesNotExist)) throw error;
  }
}

/**
 * Writes the plan with its keys in one order: StartExecution compares the input's text with that of the execution that
 * runs, and a plan that comes back from a table has its keys in another order than one that was just made.
 */
function inputOf(plan: LaunchPlan): string {
  return JSON.stringify(plan, (_key, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}
