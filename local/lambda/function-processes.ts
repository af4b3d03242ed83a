import { FunctionProcess, type FunctionProcessOptions } from './function-process.ts';
import { exitError, exitReason, type FunctionSandbox, type SandboxOutcome } from './function-sandbox.ts';
import type { Slots } from './slots.ts';
import type { FunctionErrorPayload } from './worker-protocol.ts';

/** What the processes of a function are started with. */
export interface FunctionProcessesOptions extends FunctionProcessOptions {
  /**
   * In which a process starts: a hundred that start at once on a machine of two processors would all be so slow that
   * their first calls time out, which no function of Lambda's has to fear.
   */
  starts: Slots;
}

/** Takes a process for one invocation; undefined when there will be none. */
type Waiting = (process: FunctionProcess | undefined) => void;

/**
 * The processes that run one function: no more than there are invocations at a time, each used again when it is free, as
 * Lambda's sandboxes are. One that dies is replaced by the next that is needed.
 */
export class FunctionProcesses implements FunctionSandbox {
  readonly #options: FunctionProcessesOptions;
  readonly #alive = new Set<FunctionProcess>();
  readonly #idle: FunctionProcess[] = [];
  readonly #waiting: Waiting[] = [];
  #isEnding = false;

  constructor(options: FunctionProcessesOptions) {
    this.#options = options;
  }

  async loaded(): Promise<FunctionErrorPayload | undefined> {
    const process = this.#idleOne() ?? (await this.#nextOne());
    if (process === undefined) return exitError('init', exitReason(null));
    const error = await process.loaded();
    this.#release(process);
    return error;
  }

  async run(requestId: string, eventJson: string): Promise<SandboxOutcome> {
    // An idle one has the invocation at once: whoever ends it now ends it in the middle of that.
    const process = this.#idleOne() ?? (await this.#nextOne());
    if (process === undefined) return { error: exitError(requestId, exitReason(null)) };
    const outcome = await process.run(requestId, eventJson);
    this.#release(process);
    return outcome;
  }

  /** Whoever calls before all of them are dead meets the crash as well. */
  async terminate(): Promise<void> {
    this.#isEnding = true;
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
    await Promise.all([...this.#alive].map((process) => process.terminate()));
    this.#options.onRetired();
    this.#options.onExit();
  }

  #idleOne(): FunctionProcess | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) if (idle.isAlive) return idle;
    return undefined;
  }

  /** The first that comes free or has started. */
  async #nextOne(): Promise<FunctionProcess | undefined> {
    if (this.#isEnding) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      void this.#options.starts.take(() => this.#startOne());
    });
  }

  async #startOne(): Promise<void> {
    // Whoever asked for it has been given one that came free.
    if (this.#waiting.length === 0) return;
    const process: FunctionProcess = new FunctionProcess({
      ...this.#options,
      onExit: () => this.#alive.delete(process),
    });
    this.#alive.add(process);
    const error = await process.loaded();
    // Whoever gets one that does not load is told why.
    if (error === undefined) this.#release(process);
    else this.#waiting.shift()?.(process);
  }

  #release(process: FunctionProcess): void {
    if (!process.isAlive) return;
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(process);
    else next(process);
  }
}
