import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  paginateListExecutions,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { stoppedByDavit } from '../../core/launch/execution-ending.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import * as z from '../../core/zod.ts';
import type { ExecutionStatus, Executions } from '../../ports/executions.ts';
import { type AwsSettings, clientSettings, davitErrors } from './client-settings.ts';

/** The state machine whose executions are the launches, and the client that reaches it. */
export interface LaunchMachine {
  client: SFNClient;
  /** May be qualified by a version or an alias. */
  stateMachineArn: string;
}

/** Makes a client of Step Functions. */
export function createSfnClient(settings?: AwsSettings): SFNClient {
  const client = new SFNClient(clientSettings(settings));
  client.middlewareStack.use(davitErrors());
  return client;
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
 * @throws Error for a text that is not a state machine's ARN
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
    await client.send(new StartExecutionCommand({ stateMachineArn, name: launchId, input, traceHeader }));
    return true;
  } catch (error) {
    if (error instanceof ExecutionAlreadyExists) return false;
    throw error;
  }
}

async function stop({ client, stateMachineArn }: LaunchMachine, launchId: string, cause: string): Promise<void> {
  const executionArn = executionArnOf(stateMachineArn, launchId);
  try {
    await client.send(new StopExecutionCommand({ executionArn, error: stoppedByDavit, cause }));
  } catch (error) {
    if (!(error instanceof ExecutionDoesNotExist)) throw error;
  }
}

const Description = z.object({
  /** `PENDING_REDRIVE` is left out: only a child of a distributed map can have it. */
  status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED']),
  startDate: z.date(),
  error: z.optional(z.string()),
  cause: z.optional(z.string()),
});

async function status(
  { client, stateMachineArn }: LaunchMachine,
  launchId: string,
): Promise<ExecutionStatus | undefined> {
  const executionArn = executionArnOf(stateMachineArn, launchId);
  try {
    const answer = await client.send(new DescribeExecutionCommand({ executionArn }));
    const { startDate, ...description } = Description.parse(answer);
    return { ...description, startedAtEpochMs: startDate.getTime() };
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return undefined;
    throw error;
  }
}

/** Lists the machine's own executions, whatever version or alias started them. */
async function running({ client, stateMachineArn }: LaunchMachine): Promise<ReadonlySet<string>> {
  const { prefix, name } = partsOf(stateMachineArn);
  const pages = paginateListExecutions(
    { client, pageSize: 1000 },
    { stateMachineArn: `${prefix}:stateMachine:${name}`, statusFilter: 'RUNNING' },
  );
  const launchIds = new Set<string>();
  for await (const { executions = [] } of pages) {
    for (const execution of executions) if (execution.name !== undefined) launchIds.add(execution.name);
  }
  return launchIds;
}

/**
 * Writes the plan with its keys in a fixed order. StartExecution compares the input's text with that of the running
 * execution, and a plan from a table has its keys in another order than a new plan.
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
