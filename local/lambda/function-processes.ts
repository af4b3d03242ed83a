import { FunctionProcess, type FunctionProcessOptions } from './function-process.ts';
import type { FunctionSandbox, SandboxOutcome } from './function-sandbox.ts';
import type { FunctionErrorPayload } from './worker-protocol.ts';

/**
 * The processes that run one function: as many as there are invocations at a time, each used again when it is free, as
 * Lambda's sandboxes are. One that dies is replaced by the next that is needed.
 */
export class FunctionProcesses implements FunctionSandbox {
  readonly #options: FunctionProcessOptions;
  readonly #alive = new Set<FunctionProcess>();
  readonly #idle: FunctionProcess[] = [];

  constructor(options: FunctionProcessOptions) {
    this.#options = options;
  }

  async loaded(): Promise<FunctionErrorPayload | undefined> {
    const process = this.#free();
    const error = await process.loaded();
    this.#release(process);
    return error;
  }

  async run(requestId: string, eventJson: string): Promise<SandboxOutcome> {
    const process = this.#free();
    const outcome = await process.run(requestId, eventJson);
    this.#release(process);
    return outcome;
  }

  async terminate(): Promise<void> {
    this.#options.onRetired();
    await Promise.all([...this.#alive].map((process) => process.terminate()));
    this.#options.onExit();
  }

  #free(): FunctionProcess {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) if (idle.isAlive) return idle;
    const started: FunctionProcess = new FunctionProcess({
      ...this.#options,
      onExit: () => this.#alive.delete(started),
    });
    this.#alive.add(started);
    return started;
  }

  #release(process: FunctionProcess): void {
    if (process.isAlive) this.#idle.push(process);
  }
}
