import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FunctionErrorPayload } from '../../../../local/runtime/invocation.ts';
import {
  exitError,
  exitReason,
  type FunctionSandbox,
  INIT_TIMEOUT_SECONDS,
  type SandboxOptions,
  type SandboxOutcome,
  timedOut,
} from './function-sandbox.ts';
import type { FunctionStart, WorkerInput, WorkerInvocation, WorkerMessage } from './worker-protocol.ts';

interface PendingInvocation {
  resolve: (outcome: SandboxOutcome) => void;
  deadline: NodeJS.Timeout | undefined;
}

interface ThreadFunction {
  options: SandboxOptions;
  ready: PromiseWithResolvers<FunctionErrorPayload | undefined>;
}

/** The functions' libraries have a thousand modules, so the thread caches their compiled code. */
const enableCompileCache = new URL('../../../../local/enable-compile-cache.mjs', import.meta.url).href;

/** Otherwise V8 would let each thread's young generation grow to 48 MiB. */
const maxYoungGenerationSizeMb = 6;

/**
 * One worker thread that runs one function or several, many invocations at a time. On AWS each invocation has its own
 * sandbox. Here, invocations share the state of a handler's module, and functions share the modules that they import.
 *
 * A thread retires when an invocation times out in it or a function does not load, as AWS gives up the sandbox. It then
 * takes no more invocations, lets the others finish within their own time, and ends.
 */
export class FunctionThread {
  readonly #worker: Worker;
  readonly #pending = new Map<string, PendingInvocation>();
  readonly #functions: ReadonlyMap<string, ThreadFunction>;
  /** How many functions have neither loaded nor failed to. */
  #loading: number;
  #terminated: Promise<number> | undefined;
  #retired = false;
  #outOfMemory = false;

  /** Starts the thread, which loads its functions at once. */
  constructor(functions: readonly SandboxOptions[]) {
    this.#functions = new Map(
      functions.map((options) => [
        options.functionName,
        { options, ready: Promise.withResolvers<FunctionErrorPayload | undefined>() },
      ]),
    );
    this.#loading = functions.length;
    const workerData: WorkerInput = { functions: functions.map(functionStart) };
    const maxOldGenerationSizeMb = functions.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
    this.#worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
      workerData,
      env: {},
      execArgv: ['--import', enableCompileCache],
      resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb },
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#onMessage(message));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#onUncaught(error));
    this.#worker.on('exit', (exitCode) => this.#onExit(exitCode));
  }

  /** Returns the sandbox of each function, by its name. Terminating one of them terminates the thread. */
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

  /** Output that belongs to no single function, such as a warning of Node's, goes to every function's log. */
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
    if (!pending) return; // The invocation timed out before its answer came.
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

  /** Terminates the thread only once, although each of its functions may ask for it. */
  async #terminate(): Promise<void> {
    this.#terminated ??= this.#worker.terminate();
    await this.#terminated;
  }
}

function functionStart({ modulePath, functionName, functionArn, memoryMiB, env }: SandboxOptions): FunctionStart {
  return { moduleUrl: pathToFileURL(modulePath).href, functionName, functionArn, memoryMiB, env };
}
