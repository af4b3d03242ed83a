import { AwsServiceError } from '../aws-service-error.ts';
import type { StateMachineDefinition } from './definition.ts';
import type { Execution, ExecutionEnd } from './execution.ts';
import { ExecutionRun } from './execution-run.ts';
import type { ExecutionEntry, ExecutionStore } from './execution-store.ts';
import { appendEvent, type EventBody, type HistoryEvent } from './history-event.ts';
import type { InvokeFunction } from './lambda-task.ts';

/** Receives each history event as it happens. */
export type HistoryListener = (event: HistoryEvent, execution: Readonly<Execution>) => void;

/** The dependencies of the service. */
export interface StateMachineServiceOptions {
  arn: string;
  definition: StateMachineDefinition;
  store: ExecutionStore;
  invokeFunction: InvokeFunction;
}

/** One state machine and its executions, without a protocol. */
export class StateMachineService {
  readonly #options: StateMachineServiceOptions;
  readonly #runs = new Map<string, ExecutionRun>();
  readonly #listeners = new Set<HistoryListener>();

  constructor(options: StateMachineServiceOptions) {
    this.#options = options;
  }

  /** Calls `listener` with each new event. Returns a function that unsubscribes it. */
  onEvent(listener: HistoryListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Starts an execution, or returns the one that the same call has already started.
   *
   * @throws AwsServiceError ExecutionAlreadyExists if an execution of this name has another input or has ended.
   */
  start(name: string, input: string): Execution {
    const existing = this.#options.store.get(name)?.execution;
    if (existing) return sameStart(existing, input);
    const execution = this.#newExecution(name, input);
    const entry: ExecutionEntry = { execution, history: [] };
    this.#options.store.save(entry);
    this.#run(entry, input);
    return execution;
  }

  /** Stops an execution. Does not change one that has ended. */
  stop(name: string, reason: { error?: string | undefined; cause?: string | undefined }): void {
    this.#runs.get(name)?.end({ status: 'ABORTED', ...reason });
  }

  /** Ends all runs without an event. */
  abandonAll(): void {
    for (const run of this.#runs.values()) run.abandon();
    this.#runs.clear();
  }

  #run(entry: ExecutionEntry, input: string): void {
    const { execution } = entry;
    this.#record(entry, { type: 'ExecutionStarted', executionStartedEventDetails: { input } });
    const run = new ExecutionRun({
      definition: this.#options.definition,
      input,
      invokeFunction: this.#options.invokeFunction,
      onEvent: (event) => this.#record(entry, event),
      onEnd: (end) => this.#end(entry, end),
    });
    this.#runs.set(execution.name, run);
  }

  #end(entry: ExecutionEntry, end: ExecutionEnd): void {
    Object.assign(entry.execution, end, { stopEpochMs: Date.now() });
    this.#runs.delete(entry.execution.name);
    const event = appendEvent(entry.history, endEvent(end), Date.now());
    this.#options.store.save(entry);
    this.#tell(event, entry.execution);
  }

  #record(entry: ExecutionEntry, body: EventBody): void {
    this.#tell(appendEvent(entry.history, body, Date.now()), entry.execution);
  }

  #tell(event: HistoryEvent, execution: Execution): void {
    for (const listener of this.#listeners) listener(event, execution);
  }

  #newExecution(name: string, input: string): Execution {
    return {
      sequence: this.#options.store.nextSequence(),
      arn: `${this.#options.arn.replace(':stateMachine:', ':execution:')}:${name}`,
      name,
      input,
      status: 'RUNNING',
      startEpochMs: Date.now(),
    };
  }
}

function sameStart(existing: Execution, input: string): Execution {
  if (existing.status === 'RUNNING' && existing.input === input) return existing;
  throw new AwsServiceError('ExecutionAlreadyExists', `Execution Already Exists: '${existing.arn}'`);
}

function endEvent(end: ExecutionEnd): EventBody {
  if (end.status === 'SUCCEEDED') {
    return { type: 'ExecutionSucceeded', executionSucceededEventDetails: { output: end.output } };
  }
  const details = { error: end.error, cause: end.cause };
  if (end.status === 'FAILED') return { type: 'ExecutionFailed', executionFailedEventDetails: details };
  if (end.status === 'TIMED_OUT') return { type: 'ExecutionTimedOut', executionTimedOutEventDetails: details };
  return { type: 'ExecutionAborted', executionAbortedEventDetails: details };
}
