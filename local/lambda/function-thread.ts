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
import type { FunctionErrorPayload, WorkerInvocation, WorkerMessage, WorkerStart } from './worker-protocol.ts';

interface PendingInvocation {
  resolve: (outcome: SandboxOutcome) => void;
  deadline: NodeJS.Timeout | undefined;
}

/** V8 would let each thread's new objects have 48 MiB in time, and a runtime has thirteen threads. */
const maxYoungGenerationSizeMb = 6;

/**
 * One worker thread that runs one function, many invocations at a time (on AWS each would have its own sandbox; what
 * they could share here is only what a handler keeps in its module).
 *
 * A thread is retired when an invocation times out in it, as AWS gives up the sandbox: it takes no more, lets the
 * others finish within their own time, and is terminated.
 */
export class FunctionThread implements FunctionSandbox {
  readonly #options: SandboxOptions;
  readonly #worker: Worker;
  readonly #pending = new Map<string, PendingInvocation>();
  readonly #ready = Promise.withResolvers<FunctionErrorPayload | undefined>();
  #retired = false;
  #outOfMemory = false;
  #initError: FunctionErrorPayload | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
    const { modulePath, functionName, functionArn, memoryMiB } = options;
    const start: WorkerStart = { moduleUrl: pathToFileURL(modulePath).href, functionName, functionArn, memoryMiB };
    this.#worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
      workerData: start,
      env: options.env,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMiB, maxYoungGenerationSizeMb },
    });
    this.#worker.stdout.setEncoding('utf8').on('data', options.onOutput);
    this.#worker.stderr.setEncoding('utf8').on('data', options.onOutput);
    this.#worker.on('message', (message: WorkerMessage) => this.#onMessage(message));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#onUncaught(error));
    this.#worker.on('exit', (exitCode) => this.#onExit(exitCode));
  }

  async loaded(): Promise<FunctionErrorPayload | undefined> {
    const tooLong = setTimeout(() => {
      this.#ready.resolve(timedOut('init', INIT_TIMEOUT_SECONDS));
      this.#retire();
    }, INIT_TIMEOUT_SECONDS * 1_000);
    try {
      return await this.#ready.promise;
    } finally {
      clearTimeout(tooLong);
    }
  }

  async run(requestId: string, eventJson: string): Promise<SandboxOutcome> {
    const { promise, resolve } = Promise.withResolvers<SandboxOutcome>();
    const pending: PendingInvocation = { resolve, deadline: undefined };
    this.#pending.set(requestId, pending);
    const initError = await this.loaded();
    if (initError) {
      this.#settle(requestId, { error: initError });
      return promise;
    }
    if (!this.#pending.has(requestId)) return promise; // The thread has exited meanwhile.
    const timeoutMs = this.#options.timeoutSeconds * 1_000;
    pending.deadline = setTimeout(() => this.#onTimeout(requestId), timeoutMs);
    const invocation: WorkerInvocation = { requestId, eventJson, deadlineEpochMs: Date.now() + timeoutMs };
    this.#worker.postMessage(invocation, []);
    return promise;
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #onMessage(message: WorkerMessage): void {
    switch (message.type) {
      case 'ready':
        return this.#ready.resolve(undefined);
      case 'initFailed':
        this.#initError = message.error;
        this.#ready.resolve(message.error);
        return this.#retire();
      case 'returned':
        return this.#settle(message.requestId, { resultJson: message.resultJson });
      case 'threw':
        return this.#settle(message.requestId, { error: message.error });
    }
  }

  #onTimeout(requestId: string): void {
    this.#settle(requestId, { error: timedOut(requestId, this.#options.timeoutSeconds) });
    this.#retire();
  }

  #onUncaught(error: NodeJS.ErrnoException): void {
    this.#outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    this.#options.onOutput(`Uncaught ${error.stack ?? error.message}\n`);
  }

  #onExit(exitCode: number): void {
    const reason = exitReason(this.#outOfMemory ? null : exitCode);
    this.#ready.resolve(exitError('init', reason));
    this.#retire();
    // A module that did not load ends the thread as well: its own error is the one to tell.
    for (const requestId of this.#pending.keys()) {
      this.#settle(requestId, { error: this.#initError ?? exitError(requestId, reason) });
    }
    this.#options.onExit();
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
    if (!this.#retired) this.#options.onRetired();
    this.#retired = true;
    this.#terminateWhenIdle();
  }

  #terminateWhenIdle(): void {
    if (this.#retired && this.#pending.size === 0) void this.#worker.terminate();
  }
}
