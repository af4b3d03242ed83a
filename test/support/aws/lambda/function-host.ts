import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { basename, dirname, extname } from 'node:path';
import { type JsonValue, parseJson } from '../../../../local/json-value.ts';
import type { InvocationResult } from '../../../../local/runtime/invocation.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import { functionArnOf, functionNameOf, LOCAL_REGION } from './function-name.ts';
import { FunctionProcesses } from './function-processes.ts';
import {
  exitError,
  exitReason,
  type FunctionSandbox,
  type SandboxOptions,
  type SandboxOutcome,
} from './function-sandbox.ts';
import { FunctionThread } from './function-thread.ts';
import { Slots } from './slots.ts';

/** One function, as its CDK construct would describe it. */
export interface FunctionDefinition {
  /** Absolute path of the module that exports `handler`. */
  modulePath: string;
  /** The function's `process.env`, besides the variables that Lambda itself sets. */
  env: Readonly<Record<string, string>>;
  timeoutSeconds: number;
  memoryMiB: number;
  /**
   * The bootstrap that runs the function in clean processes, one invocation at a time each, as Lambda does: see
   * `function-bootstrap.mts`. Without one, the function runs in a thread of this process.
   */
  bootstrapPath?: string;
  /** The name of the thread. Functions with the same thread name share it. @default a thread of its own */
  thread?: string;
}

/** Runs functions as Lambda would. */
export interface FunctionHost {
  /** Loads all functions, one for each processor at a time. @throws Error naming every function that does not load. */
  warm(): Promise<void>;
  has(functionName: string): boolean;
  /**
   * Runs a function once and waits for its end. An error of the function and a stop of the host are results, not
   * exceptions.
   *
   * @throws AwsServiceError ResourceNotFoundException, RequestTooLargeException (an event over 6 MB).
   */
  invoke(functionName: string, event: JsonValue): Promise<InvocationResult>;
  /** Kills the process or thread of a function in the middle of its work: for tests of crashes. */
  killWorker(functionName: string): Promise<void>;
  /** Ends everything that runs, and starts nothing afterwards. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The settings of a host. */
export interface FunctionHostOptions {
  functions: Readonly<Record<string, FunctionDefinition>>;
  /** Receives the output of functions, stdout and stderr, in pieces that break no line that a function writes at once. */
  log: (functionName: string, text: string) => void;
  /** Receives each finished invocation, with its duration in milliseconds. */
  onInvoked?: (functionName: string, durationMs: number) => void;
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const SYNC_PAYLOAD_LIMIT_BYTES = 6 * 1024 * 1024;

/** Makes a host. It loads a function at its first invocation, or all of them in `warm()`. */
export function createFunctionHost(options: FunctionHostOptions): FunctionHost {
  return new LocalFunctionHost(options);
}

class LocalFunctionHost implements FunctionHost {
  readonly #options: FunctionHostOptions;
  readonly #current = new Map<string, FunctionSandbox>();
  readonly #alive = new Set<FunctionSandbox>();
  readonly #starts = new Slots(availableParallelism());
  #isStopped = false;

  constructor(options: FunctionHostOptions) {
    this.#options = options;
  }

  async warm(): Promise<void> {
    const names = Object.keys(this.#options.functions);
    // If all functions loaded at once on two processors, each would take longer than its own limit.
    const loads = new Slots(availableParallelism());
    const failures = await Promise.all(names.map((name) => loads.take(() => this.#loadFailure(name))));
    const failed = failures.filter((failure) => failure !== undefined);
    if (failed.length > 0) throw new Error(`functions do not load:\n${failed.join('\n')}`);
  }

  has(functionName: string): boolean {
    return Object.hasOwn(this.#options.functions, functionNameOf(functionName));
  }

  async invoke(functionName: string, event: JsonValue): Promise<InvocationResult> {
    const requestId = randomUUID();
    // An invocation or a retry that comes while the runtime stops starts nothing, because nothing would end it.
    if (this.#isStopped) return invocationResult(requestId, { error: exitError(requestId, exitReason(null)) });
    const sandbox = this.#sandboxOf(functionNameOf(functionName));
    const eventJson = JSON.stringify(event);
    if (Buffer.byteLength(eventJson) > SYNC_PAYLOAD_LIMIT_BYTES) throw requestTooLarge(SYNC_PAYLOAD_LIMIT_BYTES);
    const startedMs = performance.now();
    const outcome = await sandbox.run(requestId, eventJson);
    this.#options.onInvoked?.(functionNameOf(functionName), performance.now() - startedMs);
    return invocationResult(requestId, outcome);
  }

  async killWorker(functionName: string): Promise<void> {
    await this.#current.get(functionName)?.terminate();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#alive].map((sandbox) => sandbox.terminate()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #loadFailure(functionName: string): Promise<string | undefined> {
    const error = await this.#sandboxOf(functionName).loaded();
    return error && `${functionName}: ${error.errorType}: ${error.errorMessage}`;
  }

  #sandboxOf(functionName: string): FunctionSandbox {
    const current = this.#current.get(functionName);
    if (current) return current;
    const started = this.#start(functionName);
    for (const [name, sandbox] of started) {
      this.#current.set(name, sandbox);
      this.#alive.add(sandbox);
    }
    return this.#sandboxOf(functionName);
  }

  /** Starts a function and the functions that share its thread. */
  #start(functionName: string): Map<string, FunctionSandbox> {
    const { bootstrapPath, thread } = this.#definitionOf(functionName);
    const started = new Map<string, FunctionSandbox>();
    const optionsOf = (name: string): SandboxOptions => ({
      ...this.#startOptions(name),
      onRetired: () => {
        if (this.#current.get(name) === started.get(name)) this.#current.delete(name);
      },
      onExit: () => {
        const sandbox = started.get(name);
        if (sandbox) this.#alive.delete(sandbox);
      },
    });
    if (bootstrapPath !== undefined) {
      const options = { ...optionsOf(functionName), bootstrapPath, starts: this.#starts };
      return started.set(functionName, new FunctionProcesses(options));
    }
    const functions = (thread === undefined ? [functionName] : this.#namesOn(thread)).map(optionsOf);
    for (const [name, sandbox] of new FunctionThread(functions).sandboxes()) started.set(name, sandbox);
    return started;
  }

  #startOptions(functionName: string): Omit<SandboxOptions, 'onRetired' | 'onExit'> {
    const definition = this.#definitionOf(functionName);
    const { modulePath, memoryMiB, timeoutSeconds } = definition;
    return {
      modulePath,
      functionName,
      functionArn: functionArnOf(functionName),
      memoryMiB,
      timeoutSeconds,
      env: { ...lambdaEnvironment(functionName, definition), ...definition.env },
      onOutput: (text) => this.#options.log(functionName, text),
    };
  }

  #definitionOf(functionName: string): FunctionDefinition {
    const definition = this.has(functionName) ? this.#options.functions[functionName] : undefined;
    if (definition) return definition;
    throw functionNotFound(functionArnOf(functionName));
  }

  #namesOn(thread: string): string[] {
    const { functions } = this.#options;
    return Object.keys(functions).filter((name) => functions[name]?.thread === thread);
  }
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime */
function lambdaEnvironment(functionName: string, definition: FunctionDefinition) {
  return {
    _HANDLER: `${basename(definition.modulePath, extname(definition.modulePath))}.handler`,
    LAMBDA_TASK_ROOT: dirname(definition.modulePath),
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMiB),
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_REGION: LOCAL_REGION,
    TZ: ':UTC',
  };
}

function invocationResult(requestId: string, outcome: SandboxOutcome): InvocationResult {
  if ('error' in outcome) return { requestId, functionError: 'Unhandled', payload: outcome.error };
  if (Buffer.byteLength(outcome.resultJson) <= SYNC_PAYLOAD_LIMIT_BYTES) {
    return { requestId, payload: parseJson(outcome.resultJson) };
  }
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${SYNC_PAYLOAD_LIMIT_BYTES} bytes).`;
  const payload = { errorType: 'Function.ResponseSizeTooLarge', errorMessage, trace: [] };
  return { requestId, functionError: 'Unhandled', payload };
}

function functionNotFound(functionArn: string): AwsServiceError {
  return new AwsServiceError('ResourceNotFoundException', `Function not found: ${functionArn}`, 404);
}

/** The error for an event that is larger than `limitBytes`. */
export function requestTooLarge(limitBytes: number): AwsServiceError {
  const message = `Request must be smaller than ${limitBytes} bytes for the InvokeFunction operation`;
  return new AwsServiceError('RequestTooLargeException', message, 413);
}
