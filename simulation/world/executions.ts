import { stoppedByDavit } from '../../core/launch/execution-ending.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import type { Definition, Retrier, Task } from '../../local/machine/definition.ts';
import { matches, pauseMs } from '../../local/machine/retries.ts';
import { type Data, isData, requiredAt, selected, valueAt, withValueAt } from '../../local/machine/state-data.ts';
import type { ExecutionStatus } from '../../ports/executions.ts';
import type { Core } from './core.ts';
import { runStep } from './davit.ts';
import type { Outcome, SimulatedLambda } from './lambda.ts';
import type { Scheduled } from './scheduler.ts';

interface Execution {
  name: string;
  input: string;
  data: Data;
  status: ExecutionStatus['status'];
  /** When the attempt began that completed the previous state. */
  begunAtEpochMs: number;
  /** Counts the states' attempts: an abandoned attempt's answer is ignored. */
  attempt: number;
  timeout: Scheduled | undefined;
  ending: ({ name: string } & ExecutionStatus) | undefined;
}

/** An execution's stay in one state: the count of each retrier. */
interface Stay {
  name: string;
  state: Task;
  repeats: Map<Retrier, number>;
  begunAtEpochMs: number;
}

/** Step Functions: runs the executions of a state machine by its definition. */
export class SimulatedExecutions {
  readonly #core: Core;
  readonly #definition: Definition;
  readonly #lambda: SimulatedLambda;
  readonly #executions = new Map<string, Execution>();
  readonly #saidOf = new Map<string, ExecutionStatus>();
  #saidToRun: ReadonlySet<string> = new Set();

  constructor(core: Core, definition: Definition, lambda: SimulatedLambda) {
    this.#core = core;
    this.#definition = definition;
    this.#lambda = lambda;
  }

  /** Returns the status of an execution, perhaps an outdated one; undefined when it never existed. */
  status(name: string): ExecutionStatus | undefined {
    if (this.#core.faults.hits('staleExecution', name)) return this.#saidOf.get(name);
    const execution = this.#executions.get(name);
    const status = execution && {
      ...(execution.ending ?? { status: execution.status }),
      startedAtEpochMs: execution.begunAtEpochMs,
    };
    if (status !== undefined) this.#saidOf.set(name, status);
    return status;
  }

  /** The names of the running executions, perhaps outdated. */
  running(): ReadonlySet<string> {
    if (this.#core.faults.hits('staleExecution', undefined)) return this.#saidToRun;
    const running = [...this.#executions.values()].filter(({ status }) => status === 'RUNNING');
    this.#saidToRun = new Set(running.map(({ name }) => name));
    return this.#saidToRun;
  }

  /** Starts an execution. @returns false when the name has other input, or the execution is over */
  start(plan: LaunchPlan, by: string): boolean {
    const name = plan.launchId;
    const input = JSON.stringify(plan);
    const existing = this.#executions.get(name);
    if (existing !== undefined) return existing.status === 'RUNNING' && existing.input === input;
    const execution: Execution = {
      name,
      input,
      data: { ...plan },
      status: 'RUNNING',
      begunAtEpochMs: this.#core.scheduler.nowEpochMs(),
      attempt: 0,
      timeout: undefined,
      ending: undefined,
    };
    this.#executions.set(name, execution);
    this.#core.history.add({ kind: 'executionStarted', launchId: name, by });
    const timeoutMs = this.#definition.TimeoutSeconds * 1000;
    execution.timeout = this.#core.scheduler.after(timeoutMs, () => {
      this.#end(execution, 'TIMED_OUT', 'States.Timeout', 'the execution timed out');
    });
    this.#enter(execution, this.#definition.StartAt);
    return true;
  }

  /** Stops an execution. Does not change one that is over or never existed. */
  stop(name: string, error: string, cause: string): void {
    const execution = this.#executions.get(name);
    if (execution?.status === 'RUNNING') this.#end(execution, 'ABORTED', error, cause);
  }

  #enter(execution: Execution, name: string): void {
    const state = this.#definition.States[name];
    if (state === undefined) throw new Error(`there is no state ${name}`);
    switch (state.Type) {
      case 'Choice': {
        const chosen = state.Choices.find((choice) => valueAt(execution.data, choice.Variable) === choice.StringEquals);
        return this.#enter(execution, chosen?.Next ?? state.Default);
      }
      case 'Succeed':
        return this.#end(execution, 'SUCCEEDED', '', '');
      case 'Fail':
        return this.#end(
          execution,
          'FAILED',
          String(valueAt(execution.data, state.ErrorPath)),
          String(valueAt(execution.data, state.CausePath)),
        );
      case 'Task': {
        const stay = { name, state, repeats: new Map(), begunAtEpochMs: this.#core.scheduler.nowEpochMs() };
        const sinceEpochMs = execution.begunAtEpochMs;
        this.#core.history.add({ kind: 'stateEntered', launchId: execution.name, state: name, sinceEpochMs });
        return this.#attempt(execution, stay);
      }
    }
  }

  /** Runs the function of a state once. */
  #attempt(execution: Execution, stay: Stay): void {
    const task = stay.state;
    const begunAtEpochMs = this.#core.scheduler.nowEpochMs();
    const attempt = (execution.attempt += 1);
    const ended = (outcome: Outcome<unknown>) => {
      timer.cancel();
      if (execution.status !== 'RUNNING' || execution.attempt !== attempt) return;
      execution.attempt += 1;
      if ('output' in outcome) {
        execution.begunAtEpochMs = begunAtEpochMs;
        this.#succeed(execution, task, outcome.output);
      } else this.#fail(execution, stay, outcome);
    };
    const timer = this.#core.scheduler.after(task.TimeoutSeconds * 1000, () => {
      ended({ error: 'States.Timeout', cause: '' });
    });
    const { FunctionName } = task.Parameters;
    this.#lambda.invoke(FunctionName, execution.name, runStep(FunctionName, execution.data), ended);
  }

  #succeed(execution: Execution, task: Task, payload: unknown): void {
    const result = selected({ Payload: payload }, task.ResultSelector);
    const data = withValueAt(execution.data, task.ResultPath ?? [], result);
    const output = requiredAt(data, task.OutputPath ?? []);
    if (!isData(output)) throw new Error("a state's output is an object here");
    execution.data = output;
    if (task.Next === undefined) this.#end(execution, 'SUCCEEDED', '', '');
    else this.#enter(execution, task.Next);
  }

  #fail(execution: Execution, stay: Stay, { error, cause }: { error: string; cause: string }): void {
    const { name, state: task, repeats } = stay;
    const retrier = task.Retry.find(({ ErrorEquals }) => matches(ErrorEquals, error));
    const repeated = retrier === undefined ? 0 : (repeats.get(retrier) ?? 0);
    if (retrier !== undefined && repeated < retrier.MaxAttempts) {
      repeats.set(retrier, repeated + 1);
      const { random, scheduler } = this.#core;
      scheduler.after(
        pauseMs(retrier, repeated, () => random.between(0, 1)),
        () => {
          if (execution.status === 'RUNNING') this.#attempt(execution, stay);
        },
      );
      return;
    }
    const launchId = execution.name;
    const mayRepeat = retrier?.MaxAttempts ?? 0;
    const failure = { error, cause, repeated, mayRepeat, enteredAtEpochMs: stay.begunAtEpochMs };
    this.#core.history.add({ kind: 'stateFailed', launchId, state: name, ...failure });
    const catcher = task.Catch.find(({ ErrorEquals }) => matches(ErrorEquals, error));
    if (catcher === undefined) return this.#end(execution, 'FAILED', error, cause);
    execution.data = withValueAt(execution.data, catcher.ResultPath, { Error: error, Cause: cause });
    this.#enter(execution, catcher.Next);
  }

  #end(execution: Execution, status: Execution['status'], error: string, cause: string): void {
    const { name } = execution;
    execution.status = status;
    execution.timeout?.cancel();
    this.#core.shown.check('the execution', name, { error, cause, data: execution.data });
    const data = JSON.stringify(execution.data);
    this.#core.history.add({ kind: 'executionEnded', launchId: name, status, error, cause, data });
    execution.ending = { name, status, error, cause };
    if (status !== 'SUCCEEDED' && !(status === 'ABORTED' && error === stoppedByDavit)) this.publish(name);
  }

  /** Sends EventBridge's event to clean-up when an execution did not succeed. */
  publish(name: string): void {
    const { faults, random, scheduler } = this.#core;
    const detail = this.#executions.get(name)?.ending;
    const event = { 'detail-type': 'Step Functions Execution Status Change', detail };
    const copies = faults.hits('endEventTwice', name) ? 2 : 1;
    for (let copy = 1; copy <= copies; copy += 1) {
      const delayMs = faults.hits('endEventLate', name) ? random.between(5000, 300_000) : random.between(50, 1000);
      scheduler.after(delayMs, () => this.#lambda.invokeLater('clean-up', name, runStep('clean-up', event)));
    }
  }
}
