import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  exitError,
  exitReason,
  type FunctionSandbox,
  INIT_TIMEOUT_SECONDS,
  type SandboxOptions,
  type SandboxOutcome,
  timedOut,
} from './function-sandbox.ts';
import type {
  FunctionErrorPayload,
  FunctionStart,
  WorkerInvocation,
  WorkerMessage,
  WorkerStart,
} from './worker-protocol.ts';

interface PendingInvocation {
  resolve: (outcome: SandboxOutcome) => void;
  deadline: NodeJS.Timeout | undefined;
}

/** One function of a thread. */
interface ThreadFunction {
  options: SandboxOptions;
  ready: PromiseWithResolvers<FunctionErrorPayload | undefined>;
}

/** V8 would let each thread's new objects have 48 MiB in time. */
const maxYoungGenerationSizeMb = 6;

/**
 * One worker thread that runs one function or several, many invocations at a time. On AWS each invocation has its own
 * sandbox; here invocations share what a handler keeps in its module, and functions the modules that they import.
 *
 * A thread is retired when an invocation times out in it or a function does not load, as AWS gives up the sandbox: it
 * takes no more, lets the others finish within their own time, and is terminated.
 */
export class FunctionThread {
  readonly #functions: ReadonlyMap<string, ThreadFunction>;
  readonly #worker: Worker;
  readonly #pending = new Map<string, PendingInvocation>();
  /** How many functions have neither loaded nor failed to. */
  #loading: number;
  #terminated: Promise<number> | undefined;
  #retired = false;
  #outOfMemory = false;

  constructor(functions: readonly SandboxOptions[]) {
    this.#functions = new Map(
      functions.map((options) => [
        options.functionName,
        { options, ready: Promise.withResolvers<FunctionErrorPayload | undefined>() },
      ]),
    );
    this.#loading = functions.length;
    const start: WorkerStart = { functions: functions.map(functionStart) };
    const maxOldGenerationSizeMb = functions.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
    this.#worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
      workerData: start,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb },
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#onMessage(message));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#onUncaught(error));
    this.#worker.on('exit', (exitCode) => this.#onExit(exitCode));
  }

  /** Gives each function of the thread. Terminating one of them terminates the thread. */
  sandboxes(): Map<string, FunctionSandbox> {
    const terminate = () => this.#terminate();
    return new Map(
      [...this.#functions].map(([name, target]) => [
        name,
        {
          loaded: () => this.#loaded(target),
          run: (requestId: string, eventJson: string) => this.#run(target, requestId, eventJson),
          terminate,
        },
      ]),
    );
  }

  async #loaded({ ready }: ThreadFunction): Promise<FunctionErrorPayload | undefined> {
    const tooLong = setTimeout(() => {
      ready.resolve(timedOut('init', INIT_TIMEOUT_SECONDS));
      this.#loading = 0;
      this.#retire();
    }, INIT_TIMEOUT_SECONDS * 1_000);
    try {
      return await ready.promise;
    } finally {
      clearTimeout(tooLong);
    }
  }

  async #run(target: ThreadFunction, requestId: string, eventJson: string): Promise<SandboxOutcome> {
    const { promise, resolve } = Promise.withResolvers<SandboxOutcome>();
    const pending: PendingInvocation = { resolve, deadline: undefined };
    this.#pending.set(requestId, pending);
    const initError = await this.#loaded(target);
    if (initError) {
      this.#settle(requestId, { error: initError });
      return promise;
    }
    if (!this.#pending.has(requestId)) return promise; // The thread has exited meanwhile.
    const { functionName, timeoutSeconds } = target.options;
    const timeoutMs = timeoutSeconds * 1_000;
    pending.deadline = setTimeout(() => {
      this.#settle(requestId, { error: timedOut(requestId, timeoutSeconds) });
      this.#retire();
    }, timeoutMs);
    const deadlineEpochMs = Date.now() + timeoutMs;
    const invocation: WorkerInvocation = { functionName, requestId, eventJson, deadlineEpochMs };
    this.#worker.postMessage(invocation, []);
    return promise;
  }

  #onMessage(message: WorkerMessage): void {
    switch (message.type) {
      case 'ready':
        return this.#onLoaded(message.functionName, undefined);
      case 'initFailed':
        return this.#onLoaded(message.functionName, message.error);
      case 'output':
        return this.#write(message.text, message.functionName);
      case 'returned':
        return this.#settle(message.requestId, { resultJson: message.resultJson });
      case 'threw':
        return this.#settle(message.requestId, { error: message.error });
    }
  }

  #onLoaded(functionName: string, error: FunctionErrorPayload | undefined): void {
    this.#functions.get(functionName)?.ready.resolve(error);
    this.#loading -= 1;
    if (error === undefined) this.#terminateWhenIdle();
    else this.#retire();
  }

  /** Text that no function wrote by itself, such as a warning of Node's, is in every function's log. */
  #write(text: string, functionName?: string): void {
    for (const [name, { options }] of this.#functions) {
      if (functionName === undefined || functionName === name) options.onOutput(text);
    }
  }

  #onUncaught(error: NodeJS.ErrnoException): void {
    this.#outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    this.#write(`Uncaught ${error.stack ?? error.message}\n`);
  }

  #onExit(exitCode: number): void {
    const reason = exitReason(this.#outOfMemory ? null : exitCode);
    for (const { ready } of this.#functions.values()) ready.resolve(exitError('init', reason));
    this.#retire();
    for (const requestId of this.#pending.keys()) this.#settle(requestId, { error: exitError(requestId, reason) });
    for (const { options } of this.#functions.values()) options.onExit();
  }

  #settle(requestId: string, outcome: SandboxOutcome): void {
    const pending = this.#pending.get(requestId);
    if (!pending) return; // It has timed out before it answered.
    this.#pending.delete(requestId);
    clearTimeout(pending.deadline);
    pending.resolve(outcome);
    this.#terminateWhenIdle();
  }

  #retire(): void {
    if (!this.#retired) for (const { options } of this.#functions.values()) options.onRetired();
    this.#retired = true;
    this.#terminateWhenIdle();
  }

  #terminateWhenIdle(): void {
    if (this.#retired && this.#loading <= 0 && this.#pending.size === 0) void this.#terminate();
  }

  /** Asks once: each of the thread's functions may ask. */
  async #terminate(): Promise<void> {
    this.#terminated ??= this.#worker.terminate();
    await this.#terminated;
  }
}

function functionStart({ modulePath, functionName, functionArn, memoryMiB, env }: SandboxOptions): FunctionStart {
  return { moduleUrl: pathToFileURL(modulePath).href, functionName, functionArn, memoryMiB, env };
}
