import { EventEmitter, once } from 'node:events';
import * as z from 'zod';
import { createSfnClient, createSfnExecutions } from '../../adapters/aws/create-sfn-executions.ts';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import { localAws } from '../support/aws/local-aws.ts';
import { startStepFunctionsServer } from '../support/aws/stepfunctions/stepfunctions-server.ts';
import type { ExecutionsUnderTest } from './executions.contract.ts';

/** Executions on a server of their own. */
export interface LocalExecutions extends ExecutionsUnderTest {
  stop(): Promise<void>;
}

// One step, which runs until the test finishes it.
const machine = {
  StartAt: 'Work',
  States: {
    Work: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder, as in the real definition
      Parameters: { FunctionName: '${WorkFunctionArn}', 'Payload.$': '$' },
      End: true,
    },
  },
};

/**
 * Starts a Step Functions server on the loopback interface, and the adapter for it.
 *
 * @param qualifier a version or an alias, appended to the state machine's ARN
 */
export async function startLocalExecutions(qualifier = ''): Promise<LocalExecutions> {
  // Emits a launch's id to finish its step, and `over` when its execution has ended.
  const signals = new EventEmitter();
  const toldToEnd = new Set<string>();
  const server = await startStepFunctionsServer({
    stateMachine: {
      name: 'launch',
      definition: JSON.stringify(machine),
      substitutions: { WorkFunctionArn: 'work' },
    },
    invokeFunction: async (_functionName, event) => {
      const { launchId } = z.object({ launchId: z.string() }).parse(event);
      if (!toldToEnd.has(launchId)) await once(signals, launchId);
      return { requestId: launchId, payload: {} };
    },
  });
  server.onEvent((event) => {
    if (event.type === 'ExecutionSucceeded') signals.emit('over');
  });
  const client = createSfnClient(localAws(server.url));
  const isRunning = (launchId: string) => server.execution(launchId)?.status === 'RUNNING';
  return {
    executions: createSfnExecutions({ client, stateMachineArn: server.stateMachineArn + qualifier }),
    isRunning,
    inputOf(launchId) {
      const input = server.execution(launchId)?.input;
      return input === undefined ? undefined : LaunchPlan.parse(JSON.parse(input));
    },
    async finish(launchId) {
      toldToEnd.add(launchId);
      signals.emit(launchId);
      while (isRunning(launchId)) await once(signals, 'over');
    },
    stop: () => server.stop(),
  };
}
