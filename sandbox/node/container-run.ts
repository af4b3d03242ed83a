import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Invocation } from './container-invocation.ts';
import { ContainerLog } from './container-log.ts';
import { type ContainerProcess, StartError, startProcess } from './container-process.ts';
import { type ContainerEnd, endOf } from './container-state.ts';
import type { EventNote } from './event-recorder.ts';
import type { GracePeriod } from './grace-period.ts';
import type { NodeServices } from './node-services.ts';
import { pause } from './pause.ts';
import type { Container, Pod } from './pod.ts';
import { watchReadiness } from './readiness.ts';

/** The address and directory of a Pod. */
export interface Sandbox {
  podIP: string;
  /** The Pod's directory. It contains the working directories and the logs of its containers. */
  directory: string;
}

/** The settings of a run. */
export interface RunOptions {
  pod: Pod;
  container: Container;
  invocation: Invocation;
  sandbox: Sandbox;
  services: NodeServices;
  log: ContainerLog;
  note: (note: EventNote) => void;
  onReady: (isReady: boolean) => void;
}

/** One run of a container, from the start of its process to its end. */
export class ContainerRun {
  /** Resolves with how the run ended. */
  readonly ended: Promise<ContainerEnd>;
  readonly #options: RunOptions;
  readonly #process: ContainerProcess;
  readonly #over = new AbortController();
  #isOutOfMemory = false;

  private constructor(options: RunOptions, started: ContainerProcess) {
    this.#options = options;
    this.#process = started;
    this.ended = this.#accompany();
  }

  /** @throws StartError if the command does not exist or cannot be executed. */
  static async start(options: RunOptions): Promise<ContainerRun> {
    const onOutput = (stream: 'stdout' | 'stderr', chunk: Buffer) => options.log.write(stream, chunk);
    const directory = workingDirectory(options.sandbox, options.container);
    const started = await startProcess({ ...options.invocation, directory, onOutput }, options.services.guard);
    return new ContainerRun(options, started);
  }

  /** Stops the run: runs the preStop hook, sends SIGTERM, and sends SIGKILL when the grace period is over. */
  async stop(grace: GracePeriod): Promise<void> {
    const { container, note } = this.#options;
    note({ type: 'Normal', reason: 'Killing', message: `Stopping container ${container.name}` });
    const hook = container.lifecycle?.preStop?.exec;
    if (hook !== undefined) {
      const isDone = await Promise.race([this.#exec(hook.command, grace.over), this.#process.ended.then(() => true)]);
      if (!isDone) note({ type: 'Warning', reason: 'FailedPreStopHook', message: 'PreStopHook failed' });
    }
    this.#process.signal('SIGTERM');
    await Promise.race([this.#process.ended, grace.over]);
    if (!this.#over.signal.aborted) this.#process.signal('SIGKILL');
    await this.ended;
  }

  /** Kills the run at once. */
  kill(): void {
    this.#process.signal('SIGKILL');
  }

  async #accompany(): Promise<ContainerEnd> {
    const watches = Promise.all([this.#killWhenDue(), this.#watchReadiness()]);
    const end = await this.#process.ended;
    this.#over.abort();
    await watches;
    return endOf({ ...end, isOutOfMemory: this.#isOutOfMemory });
  }

  /** Kills the container when the node's behaviour says so. */
  async #killWhenDue(): Promise<void> {
    const { pod, services } = this.#options;
    const { kill } = services.behaviourFor(pod);
    if (kill !== undefined && (await pause(kill.afterMs, this.#over.signal))) {
      this.#isOutOfMemory = kill.outOfMemory;
      this.#process.signal('SIGKILL');
    }
  }

  async #watchReadiness(): Promise<void> {
    const { container, sandbox, note, onReady } = this.#options;
    if (container.readinessProbe !== undefined) {
      await watchReadiness(container, container.readinessProbe, {
        podIP: sandbox.podIP,
        exec: (command, timeoutMs) => this.#exec(command, sleep(timeoutMs, undefined, { ref: false })),
        onReady,
        onFailure: (message) =>
          note({ type: 'Warning', reason: 'Unhealthy', message: `Readiness probe failed: ${message}` }),
        signal: this.#over.signal,
      });
    }
  }

  /**
   * Runs a command with the container's environment, besides the container's own command.
   *
   * @returns whether the command succeeded before `deadline`
   */
  async #exec(command: readonly string[], deadline: Promise<void>): Promise<boolean> {
    const { container, invocation, sandbox, services } = this.#options;
    const { environment } = invocation;
    const directory = workingDirectory(sandbox, container);
    try {
      const started = await startProcess({ command, environment, directory, onOutput: dropOutput }, services.guard);
      const end = await Promise.race([started.ended, deadline]);
      started.signal('SIGKILL');
      return end?.code === 0;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return false;
    }
  }
}

/** Drops the output of hooks and probes. */
function dropOutput(): void {}

/** Makes a container's own directory, in place of an image's file system. */
function workingDirectory(sandbox: Sandbox, container: Container): string {
  const directory = join(sandbox.directory, container.name);
  mkdirSync(directory, { recursive: true });
  return directory;
}
