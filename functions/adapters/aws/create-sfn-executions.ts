import { stoppedByDavit } from '../../domain/execution-ending.ts';
import type { LaunchPlan } from '../../domain/launch-state.ts';
import type { ExecutionStatus, Executions } from '../../ports/executions.ts';
import * as z from '../../zod.ts';
import { isAwsError } from './aws-error.ts';
import type { JsonClient } from './json-client.ts';

/** The state machine whose executions are the launches, and the client that reaches it. */
export interface LaunchMachine {
  client: JsonClient;
  /** May be qualified by a version or an alias. */
  stateMachineArn: string;
}

/**
 * Runs launches as Step Functions executions: needs states:StartExecution and ListExecutions on the state machine,
 * states:StopExecution and DescribeExecution on its executions.
 */
export function createSfnExecutions(machine: LaunchMachine): Executions {
  return {
    start: (plan) => start(machine, plan),
    stop: (launchId, cause) => stop(machine, launchId, cause),
    status: (launchId) => status(machine, launchId),
    running: () => running(machine),
  };
}

/**
 * Derives the ARN of a launch's execution, which carries the state machine's name and no version or alias.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsstepfunctions.html#awsstepfunctions-resources-for-iam-policies
 * @throws Error for what is not a state machine's ARN
 */
export function executionArnOf(stateMachineArn: string, launchId: string): string {
  const { prefix, name } = partsOf(stateMachineArn);
  return `${prefix}:execution:${name}:${launchId}`;
}

function partsOf(stateMachineArn: string): { prefix: string; name: string } {
  const [, prefix, name] =
    /^(arn:[^:]+:states:[^:]*:[^:]*):stateMachine:([^:/]+)(?::[^:]+)?$/.exec(stateMachineArn) ?? [];
  if (prefix === undefined || name === undefined) {
    throw new Error(`expected the ARN of a state machine, found ${stateMachineArn}`);
  }
  return { prefix, name };
}

async function start({ client, stateMachineArn }: LaunchMachine, plan: LaunchPlan): Promise<boolean> {
  const { launchId, traceHeader } = plan;
  const input = inputOf({ ...plan, executionArn: executionArnOf(stateMachineArn, launchId) });
  try {
    await client.call('StartExecution', { stateMachineArn, name: launchId, input, traceHeader }, z.unknown());
    return true;
  } catch (error) {
    if (isAwsError(error, 'ExecutionAlreadyExists')) return false;
    throw error;
  }
}

async function stop({ client, stateMachineArn }: LaunchMachine, launchId: string, cause: string): Promise<void> {
  const executionArn = executionArnOf(stateMachineArn, launchId);
  try {
    await client.call('StopExecution', { executionArn, error: stoppedByDavit, cause }, z.unknown());
  } catch (error) {
    if (!isAwsError(error, 'ExecutionDoesNotExist')) throw error;
  }
}

const Description = z.object({
  /** What an execution that is no child of a map can be; `PENDING_REDRIVE` is for those. */
  status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
  error: z.optional(z.string()),
  cause: z.optional(z.string()),
});

async function status(
  { client, stateMachineArn }: LaunchMachine,
  launchId: string,
): Promise<ExecutionStatus | undefined> {
  const executionArn = executionArnOf(stateMachineArn, launchId);
  try {
    return await client.call('DescribeExecution', { executionArn }, Description);
  } catch (error) {
    if (isAwsError(error, 'ExecutionDoesNotExist')) return undefined;
    throw error;
  }
}

const Page = z.object({ executions: z.array(z.object({ name: z.string() })), nextToken: z.optional(z.string()) });

/** Lists of the machine itself, whatever version or alias an execution was started by. */
async function running({ client, stateMachineArn }: LaunchMachine): Promise<ReadonlySet<string>> {
  const { prefix, name } = partsOf(stateMachineArn);
  const query = { stateMachineArn: `${prefix}:stateMachine:${name}`, statusFilter: 'RUNNING', maxResults: 1000 };
  const launchIds = new Set<string>();
  let nextToken: string | undefined;
  do {
    const page = await client.call('ListExecutions', { ...query, nextToken }, Page);
    for (const execution of page.executions) launchIds.add(execution.name);
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return launchIds;
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
