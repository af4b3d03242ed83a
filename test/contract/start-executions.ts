import { EventEmitter, once } from 'node:events';
import * as z from 'zod';
import { createSfnClient, createSfnExecutions } from '../../adapters/aws/create-sfn-executions.ts';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import { parseDefinition } from '../../local/machine/definition.ts';
import { ExecutionsTable } from '../../local/machine/executions-table.ts';
import { StateMachine } from '../../local/machine/state-machine.ts';
import { openStore } from '../../local/store/open-store.ts';
import { jsonOf } from '../../local/store/rows.ts';
import type { Executions } from '../../ports/executions.ts';
import { localAws } from '../support/aws/local-aws.ts';
import { startStepFunctionsServer } from '../support/aws/stepfunctions/stepfunctions-server.ts';

/** Executions under test, which run until a test stops or finishes them. */
export interface ExecutionsUnderTest extends AsyncDisposable {
  executions: Executions;
  /** Lets a running execution finish by itself; resolves when it is over. */
  finish: (launchId: string) => Promise<void>;
  /** The input of the launch's execution; undefined when there is none. */
  inputOf: (launchId: string) => LaunchPlan | undefined;
  /** Whether the launch's execution runs. */
  isRunning: (launchId: string) => boolean;
}

/** The state machine: one step, which runs until the test finishes it. */
const machine = JSON.stringify({
  Comment: 'for tests',
  StartAt: 'Work',
  TimeoutSeconds: 3600,
  States: {
    Work: {
      Type: 'Task',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders, as in the real definition
      Resource: 'arn:${Partition}:states:::lambda:invoke',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders, as in the real definition
      Parameters: { FunctionName: '${CreatePodFunctionArn}', 'Payload.$': '$' },
      TimeoutSeconds: 60,
      Retry: [],
      Catch: [],
      End: true,
    },
  },
});

/** Makes the step of that machine. @param isRunning whether the launch's execution runs */
function makeStep(isRunning: (launchId: string) => boolean) {
  // Emits a launch's id to finish its step, and `over` when an execution has ended.
  const signals = new EventEmitter();
  const toldToEnd = new Set<string>();
  return {
    run: async (event: unknown): Promise<string> => {
      const { launchId } = z.object({ launchId: z.string() }).parse(event);
      if (!toldToEnd.has(launchId)) await once(signals, launchId);
      return launchId;
    },
    ended: () => void signals.emit('over'),
    finish: async (launchId: string): Promise<void> => {
      toldToEnd.add(launchId);
      signals.emit(launchId);
      while (isRunning(launchId)) await once(signals, 'over');
    },
  };
}

/** Starts a Step Functions server on the loopback interface, and the adapter for it. */
export async function startSfnExecutions(): Promise<ExecutionsUnderTest> {
  const isRunning = (launchId: string) => server.execution(launchId)?.status === 'RUNNING';
  const step = makeStep(isRunning);
  const server = await startStepFunctionsServer({
    stateMachine: {
      name: 'launch',
      definition: machine,
      substitutions: { Partition: 'aws', CreatePodFunctionArn: 'work' },
    },
    invokeFunction: async (_functionName, event) => ({ requestId: await step.run(event), payload: {} }),
  });
  server.onEvent(({ type }) => {
    if (type === 'ExecutionSucceeded') step.ended();
  });
  const client = createSfnClient(localAws(server.url));
  return {
    executions: createSfnExecutions({ client, stateMachineArn: server.stateMachineArn }),
    isRunning,
    inputOf(launchId) {
      const input = server.execution(launchId)?.input;
      return input === undefined ? undefined : LaunchPlan.parse(JSON.parse(input));
    },
    finish: step.finish,
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Makes a state machine in a store of its own. */
export async function startOwnExecutions(): Promise<ExecutionsUnderTest> {
  const store = openStore(':memory:');
  const over = new Set<string>();
  const step = makeStep((launchId) => !over.has(launchId));
  const executions = new StateMachine({
    definition: parseDefinition(machine),
    table: new ExecutionsTable(store),
    invoke: async (_functionName, event) => {
      await step.run(event);
      return {};
    },
    onUnsuccessful: () => undefined,
    onEvent: ({ type, launchId }) => {
      if (type !== 'ended') return;
      over.add(launchId);
      step.ended();
    },
    nowEpochMs: Date.now,
    random: Math.random,
  });
  const rowOf = (launchId: string) => store.sql.get`SELECT input, status FROM execution WHERE name = ${launchId}`;
  return {
    executions,
    isRunning: (launchId) => rowOf(launchId)?.['status'] === 'RUNNING',
    inputOf(launchId) {
      const row = rowOf(launchId);
      return row && LaunchPlan.parse(jsonOf(row, 'input'));
    },
    finish: step.finish,
    [Symbol.asyncDispose]: async () => {},
  };
}
