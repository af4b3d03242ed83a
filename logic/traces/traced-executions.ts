import type { Executions } from '../../ports/executions.ts';
import type { Trace } from '../../ports/trace.ts';

interface ExecutionSource {
  /** The function that asks. */
  by: string;
  /** How long the function leaves a launch to whoever requested it, in seconds. */
  graceSeconds: number;
}

/** Executions whose starts are traced, each once it is accepted: also one that finds the launch's execution under way. */
export function tracedExecutions(executions: Executions, source: ExecutionSource, trace: Trace): Executions {
  return {
    async start(plan) {
      const isStarted = await executions.start(plan);
      if (isStarted) trace({ kind: 'execution', key: plan.launchId, command: 'start', fields: { ...source } });
      return isStarted;
    },
    stop: (launchId, cause) => executions.stop(launchId, cause),
    status: (launchId) => executions.status(launchId),
    running: () => executions.running(),
  };
}
