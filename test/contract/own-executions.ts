import { EventEmitter, once } from 'node:events';
import * as z from 'zod';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import { parseDefinition } from '../../local/machine/definition.ts';
import { ExecutionsTable } from '../../local/machine/executions-table.ts';
import { StateMachine } from '../../local/machine/state-machine.ts';
import { openStore } from '../../local/store/open-store.ts';
import { jsonOf } from '../../local/store/rows.ts';
import type { ExecutionsUnderTest } from './executions.contract.ts';

// One step, which runs until the test finishes it.
const definition = parseDefinition(
  JSON.stringify({
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
  }),
);

/** Makes a state machine in a store of its own. */
export function startOwnExecutions(): ExecutionsUnderTest {
  // Emits a launch's id to finish its step, and `over` when its execution has ended.
  const signals = new EventEmitter();
  const toldToEnd = new Set<string>();
  const over = new Set<string>();
  const store = openStore(':memory:');
  const executions = new StateMachine({
    definition,
    table: new ExecutionsTable(store),
    invoke: async (_functionName, event) => {
      const { launchId } = z.object({ launchId: z.string() }).parse(event);
      if (!toldToEnd.has(launchId)) await once(signals, launchId);
      return {};
    },
    onUnsuccessful: () => undefined,
    onEvent: ({ type, launchId }) => {
      if (type !== 'ended') return;
      over.add(launchId);
      signals.emit('over');
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
    async finish(launchId) {
      toldToEnd.add(launchId);
      signals.emit(launchId);
      while (!over.has(launchId)) await once(signals, 'over');
    },
  };
}
