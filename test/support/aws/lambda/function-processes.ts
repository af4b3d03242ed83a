import type { FunctionErrorPayload } from '../../../../local/runtime/invocation.ts';
import { FunctionProcess, type FunctionProcessOptions } from './function-process.ts';
import { exitError, exitReason, type FunctionSandbox, type SandboxOutcome } from './function-sandbox.ts';
import type { Slots } from './slots.ts';

/** The settings of a function's processes. */
export interface FunctionProcessesOptions extends FunctionProcessOptions {
  /**
   * The slots in which processes start. If a hundred started at once on two processors, all would be so slow that their
   * first calls time out, which cannot happen on Lambda.
   */
  starts: Slots;
}

/** Takes a process for one invocation; undefined when no process will come. */
type Waiting = (process: FunctionProcess | undefined) => void;

/**
 * The processes of one function: at most one for each concurrent invocation, and reused like Lambda's sandboxes. After a
 * process dies, the next invocation that needs one starts another.
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
    // An idle process gets the invocation at once, so a later kill hits it in the middle of that invocation.
    const process = this.#idleOne() ?? (await this.#nextOne());
    if (process === undefined) return { error: exitError(requestId, exitReason(null)) };
    const outcome = await process.run(requestId, eventJson);
    this.#release(process);
    return outcome;
  }

  /** Ends all processes at once. A call that arrives before all of them are dead fails by the crash, too. */
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

  /** Returns the first process that becomes free or has started. */
  async #nextOne(): Promise<FunctionProcess | undefined> {
    if (this.#isEnding) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      void this.#options.starts.take(() => this.#startOne());
    });
  }

  async #startOne(): Promise<void> {
    // The invocation that asked for this process already has one that became free.
    if (this.#waiting.length === 0) return;
    const process: FunctionProcess = new FunctionProcess({
      ...this.#options,
      onExit: () => this.#alive.delete(process),
    });
    this.#alive.add(process);
    const error = await process.loaded();
    // An invocation whose process does not load gets the reason.
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
