import { setImmediate as afterQueuedEvents } from 'node:timers/promises';
import { ExecutionError, StateMachine, type StateMachineDefinition } from 'aws-local-stepfunctions';
import { type JsonValue, parseJson } from '../json-value.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';
import type { Execution, ExecutionEnd } from './execution.ts';
import type { EventBody } from './history-event.ts';
import { type InvokeFunction, runLambdaTask } from './lambda-task.ts';
import { TaskError } from './task-error.ts';

/** What one run of an execution needs, and whom it tells. */
export interface ExecutionRunOptions {
  definition: StateMachineDefinition;
  execution: Execution;
  /** JSON text. */
  input: string;
  stateMachine: { id: string; name: string };
  invokeFunction: InvokeFunction;
  /** Called for each event, in order, until the run has ended. */
  onEvent: (event: EventBody) => void;
  /** Called once. */
  onEnd: (end: ExecutionEnd) => void;
}

type Engine = ReturnType<StateMachine['run']>;
type EngineEvent = Engine['eventLogs'] extends AsyncGenerator<infer Event> ? Event : never;

const RESOURCE = { resourceType: 'lambda', resource: 'invoke' };
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * One run of an execution on the engine. The run has the last word on when it is over: once it has ended, whatever a
 * function that is still at work answers changes nothing, as on AWS.
 */
export class ExecutionRun {
  readonly #options: ExecutionRunOptions;
  readonly #engine: Engine;
  readonly #timeout: NodeJS.Timeout | undefined;
  /** The context object's State; the engine reads it each time that it evaluates `$$.State`. */
  readonly #stateContext = { Name: '', EnteredTime: '', RetryCount: 0 };
  #openTask: object | undefined;
  #ended = false;
  /** Ends the wait for the latest task: the engine's timer for it would keep the process alive. */
  #abandonTask: (() => void) | undefined;

  constructor(options: ExecutionRunOptions) {
    this.#options = options;
    const { definition, execution, input, stateMachine } = options;
    const { TimeoutSeconds, ...untimed } = definition;
    if (TimeoutSeconds !== undefined) this.#timeout = this.#startTimeout(TimeoutSeconds);
    const machine = new StateMachine(
      { ...untimed, States: this.#watchEntries(definition.States) },
      { validationOptions: { noValidate: true } },
    );
    this.#engine = machine.run(parseJson(input), {
      noThrowOnAbort: true,
      overrides: { taskResourceLocalHandlers: this.#taskHandlers() },
      context: {
        Execution: { Id: execution.arn, Name: execution.name, RedriveCount: execution.redriveCount },
        State: this.#stateContext,
        StateMachine: { Id: stateMachine.id, Name: stateMachine.name },
      },
    });
    void this.#follow();
  }

  /** Ends the run from outside; does nothing when it has ended. */
  end(end: ExecutionEnd): void {
    if (this.#ended) return;
    this.abandon();
    this.#options.onEnd(end);
  }

  /** Ends the run without a word, as the death of the process would. */
  abandon(): void {
    this.#ended = true;
    clearTimeout(this.#timeout);
    this.#abandonTask?.();
    this.#engine.abort();
  }

  /** The engine times executions, too, but tells of it only after it has started a pending retry once more. */
  #startTimeout(timeoutSeconds: number): NodeJS.Timeout {
    return setTimeout(() => this.end({ status: 'TIMED_OUT' }), Math.min(timeoutSeconds * 1_000, MAX_TIMER_MS));
  }

  /** What fails in here is a bug of the runtime: nothing catches it, and the process says so as it dies. */
  async #follow(): Promise<void> {
    const events = this.#recordEvents();
    const end = await this.#engine.result.then(succeeded, failed);
    await events;
    this.end(end);
  }

  async #recordEvents(): Promise<void> {
    for await (const event of this.#engine.eventLogs) this.#recordEngineEvent(event);
  }

  #recordEngineEvent(event: EngineEvent): void {
    if (event.type === 'StateEntered') {
      const { name, input, type } = event.state;
      const stateEnteredEventDetails = { name, input: JSON.stringify(input) };
      this.#emit({ type: `${type}StateEntered`, stateEnteredEventDetails });
    } else if (event.type === 'StateExited' && event.state.type !== 'Fail') {
      const { name, output, type } = event.state;
      const stateExitedEventDetails = { name, output: JSON.stringify(output) };
      this.#emit({ type: `${type}StateExited`, stateExitedEventDetails });
    } else if (event.type === 'StateFailed' && this.#openTask) {
      // The task has not answered, so what failed the state is its TimeoutSeconds.
      this.#stateContext.RetryCount += 1;
      this.#closeTask(this.#openTask, {
        type: 'TaskTimedOut',
        taskTimedOutEventDetails: { ...RESOURCE, error: event.Error },
      });
    }
  }

  #emit(event: EventBody): void {
    if (!this.#ended) this.#options.onEvent(event);
  }

  /** The engine looks a state up exactly when it enters it, and before it evaluates its Parameters. */
  #watchEntries(states: StateMachineDefinition['States']): StateMachineDefinition['States'] {
    return new Proxy(states, {
      get: (target, name) => {
        const state = typeof name === 'string' && Object.hasOwn(target, name) ? target[name] : undefined;
        if (state) {
          const EnteredTime = new Date().toISOString();
          Object.assign(this.#stateContext, { Name: name, EnteredTime, RetryCount: 0 });
        }
        return state;
      },
    });
  }

  #taskHandlers(): Record<string, (parameters: JsonValue) => Promise<JsonValue>> {
    const taskNames = Object.entries(this.#options.definition.States).filter(([, state]) => state.Type === 'Task');
    return Object.fromEntries(taskNames.map(([name]) => [name, (parameters) => this.#runTask(parameters)]));
  }

  async #runTask(parameters: JsonValue): Promise<JsonValue> {
    // The engine's own events come through a queue: that this state was entered must be recorded before its task is.
    await afterQueuedEvents();
    // An ended run may have been about to retry.
    if (this.#ended) throw executionHasEnded();
    const task = {};
    this.#openTask = task;
    this.#emit({ type: 'TaskScheduled', taskScheduledEventDetails: scheduledDetails(parameters) });
    this.#emit({ type: 'TaskStarted', taskStartedEventDetails: RESOURCE });
    try {
      const abandoned = new Promise<never>((_resolve, reject) => {
        this.#abandonTask = () => reject(executionHasEnded());
      });
      const output = await Promise.race([runLambdaTask(this.#options.invokeFunction, parameters), abandoned]);
      const taskSucceededEventDetails = { ...RESOURCE, output: JSON.stringify(output) };
      this.#closeTask(task, { type: 'TaskSucceeded', taskSucceededEventDetails });
      return output;
    } catch (error) {
      if (this.#openTask === task) this.#stateContext.RetryCount += 1;
      const taskFailedEventDetails = { ...RESOURCE, ...errorAndCause(error) };
      this.#closeTask(task, { type: 'TaskFailed', taskFailedEventDetails });
      throw error;
    }
  }

  /** A task that has timed out is closed: its late answer is not part of the history. */
  #closeTask(task: object, event: EventBody): void {
    if (this.#openTask !== task) return;
    this.#openTask = undefined;
    this.#emit(event);
  }
}

function scheduledDetails(parameters: JsonValue) {
  return { ...RESOURCE, region: LOCAL_REGION, parameters: JSON.stringify(parameters) };
}

/** Nothing may retry or catch this. */
function executionHasEnded(): TaskError {
  return new TaskError('States.Aborted', 'The execution has ended', 'unmatched');
}

function succeeded(output: JsonValue): ExecutionEnd {
  return { status: 'SUCCEEDED', output: JSON.stringify(output) };
}

/** The engine wraps what a state threw. */
function failed(error: unknown): ExecutionEnd {
  return { status: 'FAILED', ...errorAndCause(error instanceof ExecutionError ? error.cause : error) };
}

function errorAndCause(error: unknown): { error: string; cause: string } {
  if (error instanceof Error) return { error: error.name, cause: error.message };
  return { error: 'States.Runtime', cause: String(error) };
}
