import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { parseJson } from '../../../../local/json-value.ts';
import { type AwsOperation, awsOperation } from '../aws-json-server.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import { type Execution, executionStatuses } from './execution.ts';
import type { ExecutionEntry, ExecutionStore } from './execution-store.ts';
import { toWireEvent } from './history-event.ts';
import { pageOf } from './pagination.ts';
import type { StateMachineService } from './state-machine-service.ts';

/** The dependencies of the operations. */
export interface OperationsContext {
  stateMachineArn: string;
  stateMachineName: string;
  /** The definition after substitutions. */
  definitionText: string;
  createdEpochMs: number;
  service: StateMachineService;
  store: ExecutionStore;
}

const inputLimitBytes = 256 * 1024;

// AWS refuses the same characters: white space, brackets, wildcards, specials, controls, surrogates.
const forbiddenInName = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}\uFFFE\uFFFF\p{Cs}]/u;

const MaxResults = z.int().min(0).max(1_000).default(0);

const StartExecutionInput = z.object({
  stateMachineArn: z.string(),
  name: z.string().optional(),
  input: z.string().default('{}'),
});
const ExecutionArnInput = z.object({ executionArn: z.string() });
const StateMachineArnInput = z.object({ stateMachineArn: z.string() });
const StopExecutionInput = ExecutionArnInput.extend({
  error: z.string().max(256).optional(),
  cause: z.string().max(32_768).optional(),
});
const ListExecutionsInput = StateMachineArnInput.extend({
  statusFilter: z.enum(executionStatuses).optional(),
  maxResults: MaxResults,
  nextToken: z.string().optional(),
});
const GetExecutionHistoryInput = ExecutionArnInput.extend({
  maxResults: MaxResults,
  nextToken: z.string().optional(),
});

/**
 * The Step Functions operations over one state machine.
 *
 * @see https://docs.aws.amazon.com/step-functions/latest/apireference/API_Operations.html
 */
export function stepFunctionsOperations(context: OperationsContext): Record<string, AwsOperation> {
  const { service, store } = context;

  function entryOf(executionArn: string): ExecutionEntry {
    const name = executionArn.slice(executionArn.lastIndexOf(':') + 1);
    const entry = store.get(name);
    if (entry?.execution.arn === executionArn) return entry;
    throw new AwsServiceError('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
  }

  function checkStateMachine(arn: string): void {
    if (arn === context.stateMachineArn) return;
    throw new AwsServiceError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
  }

  return {
    StartExecution: awsOperation(StartExecutionInput, ({ stateMachineArn, name = randomUUID(), input }) => {
      checkName(name);
      checkInput(input);
      checkStateMachine(stateMachineArn);
      const execution = service.start(name, input);
      return { executionArn: execution.arn, startDate: execution.startEpochMs / 1_000 };
    }),

    DescribeExecution: awsOperation(ExecutionArnInput, ({ executionArn }) =>
      describe(entryOf(executionArn).execution, context.stateMachineArn),
    ),

    StopExecution: awsOperation(StopExecutionInput, ({ executionArn, error, cause }) => {
      const { execution } = entryOf(executionArn);
      service.stop(execution.name, { error, cause });
      return { stopDate: (execution.stopEpochMs ?? Date.now()) / 1_000 };
    }),

    ListExecutions: awsOperation(ListExecutionsInput, ({ stateMachineArn, statusFilter, ...paging }) => {
      checkStateMachine(stateMachineArn);
      const matching = store
        .newestFirst()
        .map(({ execution }) => execution)
        .filter(({ status }) => statusFilter === undefined || status === statusFilter);
      const { items, nextToken } = pageOf(matching, paging, { keyOf: ({ sequence }) => sequence, descending: true });
      return { executions: items.map((execution) => summarize(execution, stateMachineArn)), nextToken };
    }),

    GetExecutionHistory: awsOperation(GetExecutionHistoryInput, ({ executionArn, ...paging }) => {
      const { history } = entryOf(executionArn);
      const { items, nextToken } = pageOf(history, paging, { keyOf: ({ id }) => id, descending: false });
      return { events: items.map(toWireEvent), nextToken };
    }),

    DescribeStateMachine: awsOperation(StateMachineArnInput, ({ stateMachineArn }) => {
      checkStateMachine(stateMachineArn);
      return {
        stateMachineArn,
        name: context.stateMachineName,
        status: 'ACTIVE',
        definition: context.definitionText,
        roleArn: 'arn:aws:iam::000000000000:role/local',
        type: 'STANDARD',
        creationDate: context.createdEpochMs / 1_000,
      };
    }),
  };
}

function checkName(name: string): void {
  if (name.length >= 1 && name.length <= 80 && !forbiddenInName.test(name)) return;
  throw new AwsServiceError('InvalidName', `Invalid Name: '${name}'`);
}

function checkInput(input: string): void {
  if (Buffer.byteLength(input) > inputLimitBytes) {
    throw new AwsServiceError('InvalidExecutionInput', `Invalid Execution Input: over ${inputLimitBytes} bytes`);
  }
  try {
    parseJson(input);
  } catch (error) {
    throw new AwsServiceError('InvalidExecutionInput', `Invalid State Machine Execution Input: '${String(error)}'`);
  }
}

function summarize(execution: Execution, stateMachineArn: string) {
  return {
    executionArn: execution.arn,
    stateMachineArn,
    name: execution.name,
    status: execution.status,
    startDate: execution.startEpochMs / 1_000,
    stopDate: seconds(execution.stopEpochMs),
    redriveCount: 0,
  };
}

function describe(execution: Execution, stateMachineArn: string) {
  const { input, output, error, cause } = execution;
  return {
    ...summarize(execution, stateMachineArn),
    input,
    inputDetails: { included: input !== undefined },
    output,
    outputDetails: output === undefined ? undefined : { included: true },
    error,
    cause,
    redriveStatus: 'NOT_REDRIVABLE',
    redriveStatusReason: 'Execution is not redrivable',
  };
}

function seconds(epochMs: number | undefined): number | undefined {
  return epochMs === undefined ? undefined : epochMs / 1_000;
}
