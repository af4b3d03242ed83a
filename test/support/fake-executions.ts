import { isDeepStrictEqual } from 'node:util';
import type { LaunchPlan } from '../../functions/domain/launch-state.ts';
import type { Executions } from '../../functions/ports/executions.ts';

/** Executions that run nothing: they start, and are over when a test says so or stops them. */
export class FakeExecutions implements Executions {
  /** By launch id; the names of executions that are over stay taken, as Step Functions keeps them. */
  readonly started = new Map<string, { plan: LaunchPlan; isOver: boolean }>();
  readonly stopped: { launchId: string; cause: string }[] = [];

  // Both sides are cloned: within jest, what structuredClone gives is of another realm, and so never deeply equal.
  async start(plan: LaunchPlan): Promise<boolean> {
    const existing = this.started.get(plan.launchId);
    if (existing !== undefined) return !existing.isOver && isDeepStrictEqual(existing.plan, structuredClone(plan));
    this.started.set(plan.launchId, { plan: structuredClone(plan), isOver: false });
    return true;
  }

  async stop(launchId: string, cause: string): Promise<void> {
    this.stopped.push({ launchId, cause });
    this.finish(launchId);
  }

  /** Ends an execution, as if the state machine had come to its end. */
  finish(launchId: string): void {
    const execution = this.started.get(launchId);
    if (execution !== undefined) execution.isOver = true;
  }
}
