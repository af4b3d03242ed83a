import { stoppedByDavit } from '../../core/launch/execution-ending.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import type { ExecutionStatus, Executions } from '../../ports/executions.ts';
import { storeRetryMs } from '../store/open-store.ts';
import { waitUntil } from '../wait-until.ts';
import type { Definition, StepFunction, Task } from './definition.ts';
import type { End, ExecutionsTable, Progress } from './executions-table.ts';
import { matches, pauseMs } from './retries.ts';
import { type Data, isData, requiredAt, selected, valueAt, withValueAt } from './state-data.ts';

/** What happens to an execution. */
export type ExecutionEvent = { launchId: string; atEpochMs: number } & (
  | { type: 'started' }
  | { type: 'entered' | 'attempted' | 'left'; state: string }
  | { type: 'failed'; state: string; error: string; cause: string }
  | ({ type: 'ended' } & End & { output?: Data })
);

/** The dependencies of a state machine. */
export interface StateMachineDeps {
  definition: Definition;
  table: ExecutionsTable;
  /** Runs a function once. @throws Error whose name the definition's `ErrorEquals` match */
  invoke: (functionName: StepFunction, event: unknown) => Promise<unknown>;
  /** Called within the write that ends an execution which neither succeeded nor was stopped by davit. */
  onUnsuccessful: (launchId: string, end: End) => void;
  onEvent: (event: ExecutionEvent) => void;
  nowEpochMs: () => number;
  /** @returns 0 to 1 */
  random: () => number;
}

/** Where an execution goes: past states that run nothing, to one that runs a function or to its end. */
interface Way {
  passed: readonly string[];
  to: { state: string } | { end: End };
}

/** An execution in this process. */
interface Run {
  progress: Progress;
  /** Counts attempts: the answer of one that was given up is ignored. */
  attempt: number;
  timers: Set<NodeJS.Timeout>;
}

/** @see https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html */
const mostDataBytes = 256 * 1024;

/**
 * Runs davit's state machine in this process, in the part of Amazon's States Language that it uses. The table says where
 * each execution goes on after the process has ended, however it did: at the state in which it was. So a function runs at
 * least once for each state, and may run again.
 *
 * @see docs/adr/0031-one-process-keeps-what-it-knows-in-sqlite.md
 */
export class StateMachine implements Executions {
  readonly #deps: StateMachineDeps;
  readonly #runs = new Map<string, Run>();
  #isHalted = false;

  constructor(deps: StateMachineDeps) {
    this.#deps = deps;
  }

  /** Goes on with every execution that runs. Call it once, at the start. */
  resume(): void {
    for (const progress of this.#deps.table.running()) this.#follow(progress);
  }

  /** Does nothing more. The next process goes on. */
  halt(): void {
    this.#isHalted = true;
    for (const run of this.#runs.values()) forget(run);
    this.#runs.clear();
  }

  async stop(launchId: string, cause: string): Promise<void> {
    this.#end(launchId, { status: 'ABORTED', error: stoppedByDavit, cause });
    await this.#deps.table.onDisk();
  }

  async start(plan: LaunchPlan): Promise<boolean> {
    const { launchId } = plan;
    const startedAtEpochMs = this.#deps.nowEpochMs();
    const data: Data = { ...plan };
    const way = this.#wayFrom(data, this.#deps.definition.StartAt);
    if ('end' in way.to) throw new Error('a launch begins with a function');
    const { state } = way.to;
    const progress = { name: launchId, startedAtEpochMs, state, data, repeats: [], dueAtEpochMs: startedAtEpochMs };
    const begun = this.#deps.table.begin(progress, inputOf(plan));
    if (begun === 'begun') {
      this.#tell({ type: 'started', launchId });
      this.#tellWay(launchId, way);
      this.#follow(progress);
    }
    await this.#deps.table.onDisk();
    return begun !== false;
  }

  async status(launchId: string): Promise<ExecutionStatus | undefined> {
    return this.#deps.table.status(launchId);
  }

  async running(): Promise<ReadonlySet<string>> {
    return new Set(this.#deps.table.runningNames());
  }

  #follow(progress: Progress): void {
    if (this.#isHalted) return;
    const run: Run = { progress, attempt: 0, timers: new Set() };
    this.#runs.set(progress.name, run);
    // An execution that has begun later than now began before somebody set the clock back.
    const ranMs = Math.max(0, this.#deps.nowEpochMs() - progress.startedAtEpochMs);
    const timeOut = () => this.#endRun(run, { status: 'TIMED_OUT' });
    this.#after(run, this.#deps.definition.TimeoutSeconds * 1000 - ranMs, timeOut);
    const { state } = progress;
    if (this.#deps.definition.States[state]?.Type === 'Task') return this.#attemptWhenDue(run);
    // Of an earlier version.
    this.#endRun(run, { status: 'FAILED', error: 'States.Runtime', cause: `the state machine has no state ${state}` });
  }

  #after({ timers }: Run, ms: number, action: () => void): () => void {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        action();
      },
      Math.max(0, ms),
    );
    timers.add(timer);
    return () => {
      clearTimeout(timer);
      timers.delete(timer);
    };
  }

  #attemptWhenDue(run: Run): void {
    const { attempt, progress } = run;
    const waitMs = waitUntil(progress.dueAtEpochMs, this.#deps.nowEpochMs());
    const begin = () => {
      if (this.#isOf(run, attempt)) void this.#attempt(run);
    };
    if (waitMs > 0) this.#after(run, waitMs, begin);
    // A timer takes a millisecond at least.
    else setImmediate(begin);
  }

  /** Runs the function of a state once. */
  async #attempt(run: Run): Promise<void> {
    const { state, data } = run.progress;
    const task = this.#taskOf(state);
    run.attempt += 1;
    this.#tell({ type: 'attempted', launchId: run.progress.name, state });
    const { attempt } = run;
    const timedOut = Promise.withResolvers<never>();
    const cancel = this.#after(run, task.TimeoutSeconds * 1000, () => timedOut.reject(named('States.Timeout', '')));
    try {
      const payload = await Promise.race([this.#deps.invoke(task.Parameters.FunctionName, data), timedOut.promise]);
      if (this.#isOf(run, attempt)) this.#succeed(run, task, payload);
    } catch (error) {
      if (this.#isOf(run, attempt)) this.#fail(run, task, error);
    } finally {
      cancel();
    }
  }

  #isOf(run: Run, attempt: number): boolean {
    return this.#runs.get(run.progress.name) === run && run.attempt === attempt;
  }

  #succeed(run: Run, task: Task, payload: unknown): void {
    const result = selected({ Payload: payload }, task.ResultSelector);
    const output = requiredAt(withValueAt(run.progress.data, task.ResultPath ?? [], result), task.OutputPath ?? []);
    if (!isData(output)) throw new Error("a state's output is an object");
    if (Buffer.byteLength(JSON.stringify(output)) > mostDataBytes) {
      const cause = `the output of ${run.progress.state} is larger than ${mostDataBytes} bytes`;
      return this.#endRun(run, { status: 'FAILED', error: 'States.DataLimitExceeded', cause });
    }
    this.#tell({ type: 'left', launchId: run.progress.name, state: run.progress.state });
    this.#goTo(run, output, task.Next);
  }

  #fail(run: Run, task: Task, thrown: unknown): void {
    const { name, state, data, repeats } = run.progress;
    const [error, cause] = thrown instanceof Error ? [thrown.name, causeOf(thrown)] : ['Error', String(thrown)];
    this.#tell({ type: 'failed', launchId: name, state, error, cause });
    const index = task.Retry.findIndex(({ ErrorEquals }) => matches(ErrorEquals, error));
    const retrier = task.Retry[index];
    const used = repeats[index] ?? 0;
    if (retrier !== undefined && used < retrier.MaxAttempts) {
      const dueAtEpochMs = Math.ceil(this.#deps.nowEpochMs() + pauseMs(retrier, used, this.#deps.random));
      const counted = task.Retry.map((_, each) => (repeats[each] ?? 0) + (each === index ? 1 : 0));
      run.progress = { ...run.progress, repeats: counted, dueAtEpochMs };
      this.#keep(run);
      return this.#attemptWhenDue(run);
    }
    const catcher = task.Catch.find(({ ErrorEquals }) => matches(ErrorEquals, error));
    if (catcher === undefined) return this.#endRun(run, { status: 'FAILED', error, cause });
    this.#goTo(run, withValueAt(data, catcher.ResultPath, { Error: error, Cause: cause }), catcher.Next);
  }

  #goTo(run: Run, data: Data, next: string | undefined): void {
    const { name } = run.progress;
    const way: Way =
      next === undefined ? { passed: [], to: { end: { status: 'SUCCEEDED' } } } : this.#wayFrom(data, next);
    this.#tellWay(name, way);
    run.progress = { ...run.progress, data };
    if ('end' in way.to) return this.#endRun(run, way.to.end);
    run.progress = { ...run.progress, ...way.to, repeats: [], dueAtEpochMs: this.#deps.nowEpochMs() };
    this.#keep(run);
    this.#attemptWhenDue(run);
  }

  /** Writes how far an execution has come. If the store fails, tries again: what has run may run twice, and is not lost. */
  #keep(run: Run): void {
    try {
      this.#deps.table.goOn(run.progress);
    } catch {
      this.#after(run, storeRetryMs, () => this.#keep(run));
    }
  }

  #wayFrom(data: Data, name: string, passed: readonly string[] = []): Way {
    const state = this.#deps.definition.States[name];
    switch (state?.Type) {
      case undefined:
        throw new Error(`the state machine has no state ${name}`);
      case 'Task':
        return { passed, to: { state: name } };
      case 'Choice': {
        const chosen = state.Choices.find(({ Variable, StringEquals }) => valueAt(data, Variable) === StringEquals);
        return this.#wayFrom(data, chosen?.Next ?? state.Default, [...passed, name]);
      }
      case 'Succeed':
        return { passed: [...passed, name], to: { end: { status: 'SUCCEEDED' } } };
      case 'Fail': {
        const [error, cause] = [valueAt(data, state.ErrorPath), valueAt(data, state.CausePath)];
        const end: End = { status: 'FAILED', error: String(error), cause: String(cause) };
        return { passed: [...passed, name], to: { end } };
      }
    }
  }

  #tellWay(launchId: string, { passed, to }: Way): void {
    for (const state of passed) {
      this.#tell({ type: 'entered', launchId, state });
      this.#tell({ type: 'left', launchId, state });
    }
    if ('state' in to) this.#tell({ type: 'entered', launchId, state: to.state });
  }

  #taskOf(name: string): Task {
    const state = this.#deps.definition.States[name];
    if (state?.Type !== 'Task') throw new Error(`the state machine has no state ${name} that runs a function`);
    return state;
  }

  #endRun(run: Run, end: End): void {
    try {
      this.#end(run.progress.name, end);
    } catch {
      this.#after(run, storeRetryMs, () => this.#endRun(run, end));
    }
  }

  /** @throws TransientError StoreUnavailable */
  #end(launchId: string, end: End): void {
    const { table, nowEpochMs, onUnsuccessful } = this.#deps;
    const hasEnded = table.end(launchId, end, nowEpochMs(), () => {
      if (end.status !== 'SUCCEEDED' && end.error !== stoppedByDavit) onUnsuccessful(launchId, end);
    });
    const run = this.#runs.get(launchId);
    this.#runs.delete(launchId);
    if (run !== undefined) forget(run);
    const output = end.status === 'SUCCEEDED' && run !== undefined ? { output: run.progress.data } : {};
    if (hasEnded) this.#tell({ type: 'ended', launchId, ...end, ...output });
  }

  #tell(event: DistributiveOmit<ExecutionEvent, 'atEpochMs'>): void {
    this.#deps.onEvent({ ...event, atEpochMs: this.#deps.nowEpochMs() });
  }
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

function forget({ timers }: Run): void {
  for (const timer of timers) clearTimeout(timer);
  timers.clear();
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** As Lambda reports what a function throws. */
function causeOf({ name, message, stack = '' }: Error): string {
  return JSON.stringify({ errorType: name, errorMessage: message, trace: stack.split('\n') });
}

/** Writes a plan with its keys in a fixed order: a plan from the store may have them in another one than a new plan. */
function inputOf(plan: LaunchPlan): string {
  return JSON.stringify(plan, (_key, value: unknown) =>
    isData(value) && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).toSorted(byKey)) : value,
  );
}

function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}
