import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { FunctionErrorPayload } from '../../../../local/runtime/invocation.ts';
import {
  exitError,
  exitReason,
  INIT_TIMEOUT_SECONDS,
  type SandboxOptions,
  type SandboxOutcome,
  timedOut,
} from './function-sandbox.ts';
import { type RuntimeApi, startRuntimeApi } from './runtime-api.ts';

/** The settings of a process. */
export interface FunctionProcessOptions extends SandboxOptions {
  /** The path of `function-bootstrap.mts`. */
  bootstrapPath: string;
}

interface CurrentInvocation {
  requestId: string;
  settle: (outcome: SandboxOutcome) => void;
}

/**
 * One process that runs one function, one invocation at a time, like a sandbox of Lambda. Its bootstrap speaks the
 * Runtime API with this side. It has only the given environment, and nothing of this process's.
 */
export class FunctionProcess {
  readonly #options: FunctionProcessOptions;
  readonly #ready = Promise.withResolvers<FunctionErrorPayload | undefined>();
  readonly #exited = Promise.withResolvers<void>();
  readonly #api: Promise<RuntimeApi>;
  #child: ChildProcess | undefined;
  #current: CurrentInvocation | undefined;
  #initError: FunctionErrorPayload | undefined;
  #isOver = false;

  constructor(options: FunctionProcessOptions) {
    this.#options = options;
    this.#api = startRuntimeApi({
      onNext: () => this.#ready.resolve(undefined),
      onInitError: (error) => {
        this.#initError = error;
        this.#isOver = true;
        this.#ready.resolve(error);
      },
      onResponse: (requestId, resultJson) => this.#settle(requestId, { resultJson }),
      onError: (requestId, error) => this.#settle(requestId, { error }),
    });
    void this.#start();
  }

  /** Whether the process takes another invocation. */
  get isAlive(): boolean {
    return !this.#isOver;
  }

  async loaded(): Promise<FunctionErrorPayload | undefined> {
    const tooLong = setTimeout(() => {
      this.#ready.resolve(timedOut('init', INIT_TIMEOUT_SECONDS));
      void this.terminate();
    }, INIT_TIMEOUT_SECONDS * 1000);
    const error = await this.#ready.promise;
    clearTimeout(tooLong);
    return error;
  }

  async run(requestId: string, eventJson: string): Promise<SandboxOutcome> {
    const { promise, resolve: settle } = Promise.withResolvers<SandboxOutcome>();
    this.#current = { requestId, settle };
    const error = await this.loaded();
    if (error !== undefined) return { error };
    const { timeoutSeconds, functionArn } = this.#options;
    const deadline = setTimeout(() => {
      this.#settle(requestId, { error: timedOut(requestId, timeoutSeconds) });
      void this.terminate();
    }, timeoutSeconds * 1000);
    const deadlineEpochMs = Date.now() + timeoutSeconds * 1000;
    (await this.#api).give({ requestId, eventJson, deadlineEpochMs, functionArn });
    const outcome = await promise;
    clearTimeout(deadline);
    return outcome;
  }

  /** Ends the process at once; resolves when it is dead. */
  async terminate(): Promise<void> {
    this.#isOver = true;
    this.#child?.kill('SIGKILL');
    await this.#exited.promise;
  }

  async #start(): Promise<void> {
    const api = await this.#api;
    const { bootstrapPath, modulePath, memoryMiB, env, onOutput } = this.#options;
    const runtimeApi = new URL(api.url).host;
    const child = spawn(process.execPath, [`--max-old-space-size=${memoryMiB}`, bootstrapPath], {
      cwd: dirname(modulePath),
      env: { ...env, AWS_LAMBDA_RUNTIME_API: runtimeApi },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const output of [child.stdout, child.stderr]) passOnLines(output, onOutput);
    // A process that cannot start emits `error`, and never `close`.
    child.once('error', (error) => this.#end(`Runtime could not be started: ${error.message}`));
    child.once('close', (exitCode) => this.#end(exitReason(exitCode)));
    this.#child = child;
    if (this.#isOver) child.kill('SIGKILL');
  }

  #end(reason: string): void {
    this.#isOver = true;
    this.#ready.resolve(exitError('init', reason));
    const requestId = this.#current?.requestId ?? '';
    this.#settle(requestId, { error: this.#initError ?? exitError(requestId, reason) });
    this.#exited.resolve();
    this.#options.onExit();
    void this.#api.then((api) => api.stop());
  }

  #settle(requestId: string, outcome: SandboxOutcome): void {
    if (this.#current?.requestId === requestId) this.#current.settle(outcome);
  }
}

/** Passes on whole lines, so that no line of another process comes between the parts of one. */
function passOnLines(output: Readable, pass: (line: string) => void): void {
  createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => pass(`${line}\n`));
}
