import { setImmediate as afterQueuedEvents } from 'node:timers/promises';
import type { StateMachineDefinition } from 'aws-local-stepfunctions';
import { type JsonValue, parseJson } from '../../../../local/json-value.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';
import { ExecutionError, StateMachine } from './engine.ts';
import type { ExecutionEnd } from './execution.ts';
import type { EventBody } from './history-event.ts';
import { type InvokeFunction, runLambdaTask } from './lambda-task.ts';
import { TaskError } from './task-error.ts';

/** The dependencies and listeners of one run of an execution. */
export interface ExecutionRunOptions {
  definition: StateMachineDefinition;
  /** JSON text. */
  input: string;
  invokeFunction: InvokeFunction;
  /** Called for each event, in order, until the run has ended. */
  onEvent: (event: EventBody) => void;
  /** Called once. */
  onEnd: (end: ExecutionEnd) => void;
}

type Engine = ReturnType<InstanceType<typeof StateMachine>['run']>;
type EngineEvent = Engine['eventLogs'] extends AsyncGenerator<infer Event> ? Event : never;

const resource = { resourceType: 'lambda', resource: 'invoke' };
const maxTimerMs = 2 ** 31 - 1;

/**
 * One run of an execution on the engine. The run alone decides when it is over. After its end, the answer of a function
 * that is still running changes nothing, as on AWS.
 */
export class ExecutionRun {
  readonly #options: ExecutionRunOptions;
  readonly #engine: Engine;
  readonly #timeout: NodeJS.Timeout | undefined;
  #openTask: object | undefined;
  #ended = false;
  /** Aborts the wait for the latest task. Otherwise the engine's timer would keep the process alive. */
  #abandonTask: (() => void) | undefined;

  constructor(options: ExecutionRunOptions) {
    this.#options = options;
    const { definition, input } = options;
    const { TimeoutSeconds, ...untimed } = definition;
    if (TimeoutSeconds !== undefined) this.#timeout = this.#startTimeout(TimeoutSeconds);
    const machine = new StateMachine(untimed, { validationOptions: { noValidate: true } });
    this.#engine = machine.run(parseJson(input), {
      noThrowOnAbort: true,
      overrides: { taskResourceLocalHandlers: this.#taskHandlers() },
    });
    void this.#follow();
  }

  /** Ends the run from outside. Does nothing if it has ended. */
  end(end: ExecutionEnd): void {
    if (this.#ended) return;
    this.abandon();
    this.#options.onEnd(end);
  }

  /** Ends the run without an event. */
  abandon(): void {
    this.#ended = true;
    clearTimeout(this.#timeout);
    this.#abandonTask?.();
    this.#engine.abort();
  }

  /**
   * Ends the run after its time-out. The engine would do so, too, but reports it only after it has started a pending
   * retry.
   */
  #startTimeout(timeoutSeconds: number): NodeJS.Timeout {
    return setTimeout(() => this.end({ status: 'TIMED_OUT' }), Math.min(timeoutSeconds * 1_000, maxTimerMs));
  }

  /**
   * Follows the engine's events. An error in this method is a bug of the runtime: nothing catches it, so the process
   * reports it and dies.
   */
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
      // The task has not answered, so its TimeoutSeconds failed the state.
      this.#closeTask(this.#openTask, {
        type: 'TaskTimedOut',
        taskTimedOutEventDetails: { ...resource, error: event.Error },
      });
    }
  }

  #emit(event: EventBody): void {
    if (!this.#ended) this.#options.onEvent(event);
  }

  #taskHandlers(): Record<string, (parameters: JsonValue) => Promise<JsonValue>> {
    const taskNames = Object.entries(this.#options.definition.States).filter(([, state]) => state.Type === 'Task');
    return Object.fromEntries(taskNames.map(([name]) => [name, (parameters) => this.#runTask(parameters)]));
  }

  async #runTask(parameters: JsonValue): Promise<JsonValue> {
    // The engine queues its own events. This records the state's entry first, before its task.
    await afterQueuedEvents();
    // A run can end just before it retries.
    if (this.#ended) throw executionHasEnded();
    const task = {};
    this.#openTask = task;
    this.#emit({ type: 'TaskScheduled', taskScheduledEventDetails: scheduledDetails(parameters) });
    this.#emit({ type: 'TaskStarted', taskStartedEventDetails: resource });
    try {
      const abandoned = new Promise<never>((_resolve, reject) => {
        this.#abandonTask = () => reject(executionHasEnded());
      });
      const output = await Promise.race([runLambdaTask(this.#options.invokeFunction, parameters), abandoned]);
      const taskSucceededEventDetails = { ...resource, output: JSON.stringify(output) };
      this.#closeTask(task, { type: 'TaskSucceeded', taskSucceededEventDetails });
      return output;
    } catch (error) {
      const taskFailedEventDetails = { ...resource, ...errorAndCause(error) };
      this.#closeTask(task, { type: 'TaskFailed', taskFailedEventDetails });
      throw error;
    }
  }

  /** Closes a task that has timed out: its late answer does not enter the history. */
  #closeTask(task: object, event: EventBody): void {
    if (this.#openTask !== task) return;
    this.#openTask = undefined;
    this.#emit(event);
  }
}

function scheduledDetails(parameters: JsonValue) {
  return { ...resource, region: LOCAL_REGION, parameters: JSON.stringify(parameters) };
}

/** An error that no Retry and no Catch matches. */
function executionHasEnded(): TaskError {
  return new TaskError('States.Aborted', 'The execution has ended', 'unmatched');
}

function succeeded(output: JsonValue): ExecutionEnd {
  return { status: 'SUCCEEDED', output: JSON.stringify(output) };
}

/** Unwraps the error of a state, which the engine wraps. */
function failed(error: unknown): ExecutionEnd {
  return { status: 'FAILED', ...errorAndCause(error instanceof ExecutionError ? error.cause : error) };
}

function errorAndCause(error: unknown): { error: string; cause: string } {
  if (error instanceof Error) return { error: error.name, cause: error.message };
  return { error: 'States.Runtime', cause: String(error) };
}
