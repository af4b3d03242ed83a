import { isDeepStrictEqual } from 'node:util';
import { stoppedByDavit } from '../../core/launch/execution-ending.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import type { ExecutionStatus, Executions } from '../../ports/executions.ts';

/** Executions that run nothing: they start, and end when a test ends or stops them. */
export class FakeExecutions implements Executions {
  /** By launch id. The names of ended executions stay taken, as in Step Functions. */
  readonly started = new Map<string, { plan: LaunchPlan; status: ExecutionStatus }>();
  readonly stopped: { launchId: string; cause: string }[] = [];

  async start(plan: LaunchPlan): Promise<boolean> {
    const existing = this.started.get(plan.launchId);
    if (existing !== undefined) return existing.status.status === 'RUNNING' && isDeepStrictEqual(existing.plan, plan);
    this.started.set(plan.launchId, { plan: structuredClone(plan), status: { status: 'RUNNING' } });
    return true;
  }

  async stop(launchId: string, cause: string): Promise<void> {
    this.stopped.push({ launchId, cause });
    this.finish(launchId, { status: 'ABORTED', error: stoppedByDavit, cause });
  }

  async status(launchId: string): Promise<ExecutionStatus | undefined> {
    return this.started.get(launchId)?.status;
  }

  async running(): Promise<ReadonlySet<string>> {
    return new Set(
      [...this.started].flatMap(([launchId, { status }]) => (status.status === 'RUNNING' ? launchId : [])),
    );
  }

  /** Ends a running execution, as if its state machine had finished. */
  finish(launchId: string, end: ExecutionStatus = { status: 'SUCCEEDED' }): void {
    const execution = this.started.get(launchId);
    if (execution?.status.status === 'RUNNING') execution.status = end;
  }
}
