import { EventEmitter, once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '../../core/present.ts';
import type { LogOptions } from '../pod-logs.ts';
import type { Sandbox } from './container-run.ts';
import { ContainerRunner } from './container-runner.ts';
import { terminatedState } from './container-state.ts';
import { GracePeriod } from './grace-period.ts';
import type { NodeServices } from './node-services.ts';
import { pause } from './pause.ts';
import { type Container, isSidecar, type Pod } from './pod.ts';
import type { FailureVerdict, PodProgress } from './pod-status.ts';
import { StatusWriter } from './status-writer.ts';

/** Runs one Pod on its node, from its first status to its last. */
export class PodWorker {
  readonly pod: Pod;
  /** Resolves when all of the Pod's processes have ended and its status reports it. */
  readonly finished: Promise<void>;
  readonly #services: NodeServices;
  readonly #runners: ReadonlyMap<string, ContainerRunner>;
  readonly #writer: StatusWriter;
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #stopping = new AbortController();
  readonly #acceptedEpochMs: number;
  #sandbox: (Sandbox & { createdEpochMs: number }) | undefined;
  #grace: GracePeriod | undefined;
  #stops: Promise<void>[] = [];
  #failure: FailureVerdict | undefined;
  /** Whether the containers are stopped permanently. */
  #isTerminated = false;
  /** Whether nothing runs any more, and nothing will start again. */
  #isOver = false;

  constructor(pod: Pod, services: NodeServices) {
    this.pod = pod;
    this.#services = services;
    this.#acceptedEpochMs = services.nowEpochMs();
    this.#writer = new StatusWriter(pod, services);
    const changed = () => this.#changed();
    this.#runners = new Map(
      [...pod.spec.initContainers, ...pod.spec.containers].map((container) => [
        container.name,
        new ContainerRunner(pod, container, services, changed),
      ]),
    );
    this.#changed();
    this.finished = this.#live();
  }

  /**
   * Stops the Pod's containers permanently. A further call can shorten the grace period.
   *
   * @param failure why the Pod has failed, whatever its containers report
   */
  async terminate(gracePeriodMs: number, failure?: FailureVerdict): Promise<void> {
    if (this.#isOver) return;
    const grace = this.#graceOf(gracePeriodMs);
    if (!this.#stopping.signal.aborted) {
      this.#failure = failure;
      this.#stopping.abort();
      this.#changes.emit('change');
      this.#stops = this.#ordinaryRunners().map(async (runner) => runner.stop(grace));
    }
    await this.finished;
  }

  /** Writes the status again, for example after the node was lost. */
  republish(): void {
    this.#writer.write(this.#progress());
  }

  readLog(options: LogOptions): AsyncIterable<Buffer> | undefined {
    return this.#runners.get(options.container)?.readLog(options);
  }

  /** Releases the Pod's directory and address, and stops writing its status. */
  dispose(): void {
    this.#writer.close();
    if (this.#sandbox !== undefined) {
      rmSync(this.#sandbox.directory, { recursive: true, force: true });
      this.#services.addresses.release(this.#sandbox.podIP);
    }
  }

  async #live(): Promise<void> {
    const deadline = this.#deadline();
    if (await pause(this.#services.behaviourFor(this.pod).startDelayMs, this.#stopping.signal)) {
      await this.#runContainers(this.#createSandbox());
    }
    await Promise.all(this.#stops);
    clearTimeout(deadline);
    this.#grace?.clear();
    this.#isTerminated = this.#stopping.signal.aborted;
    this.#isOver = true;
    this.#changed();
  }

  async #runContainers(sandbox: Sandbox): Promise<void> {
    const sidecars: Promise<void>[] = [];
    const isInitialised = await this.#initialise(sandbox, sidecars);
    if (isInitialised) {
      await Promise.all(this.pod.spec.containers.map(async (container) => this.#runner(container).run(sandbox)));
    }
    await this.#stopSidecars();
    await Promise.all(sidecars);
  }

  /** @returns whether every init container has succeeded and every sidecar has started */
  async #initialise(sandbox: Sandbox, sidecars: Promise<void>[]): Promise<boolean> {
    for (const container of this.pod.spec.initContainers) {
      const runner = this.#runner(container);
      if (isSidecar(container)) {
        sidecars.push(runner.run(sandbox));
        await this.#untilStarted(runner);
      } else {
        await runner.run(sandbox);
      }
      const isDone = isSidecar(container) || terminatedState(runner.status)?.exitCode === 0;
      if (!isDone || this.#stopping.signal.aborted) return false;
    }
    return true;
  }

  async #untilStarted(runner: ContainerRunner): Promise<void> {
    while (!runner.status.started && !this.#stopping.signal.aborted) {
      await once(this.#changes, 'change');
    }
  }

  /** Stops the sidecars after the containers that they serve, one after another, the last one first. */
  async #stopSidecars(): Promise<void> {
    const grace = this.#graceOf(this.pod.spec.terminationGracePeriodSeconds * 1000);
    for (const container of this.pod.spec.initContainers.filter(isSidecar).toReversed()) {
      await this.#runner(container).stop(grace);
    }
  }

  #graceOf(durationMs: number): GracePeriod {
    this.#grace ??= new GracePeriod(durationMs);
    this.#grace.shortenTo(durationMs);
    return this.#grace;
  }

  #ordinaryRunners(): ContainerRunner[] {
    return [...this.#runners.values()].filter(({ container }) => !isSidecar(container));
  }

  #runner(container: Container): ContainerRunner {
    const runner = this.#runners.get(container.name);
    if (runner === undefined) throw new TypeError(`Pod ${this.pod.metadata.name} has no container ${container.name}`);
    return runner;
  }

  #createSandbox(): Sandbox {
    const { metadata, spec } = this.pod;
    const { hostIP, addresses, stateDirectory, nowEpochMs } = this.#services;
    const directory = join(stateDirectory, `${metadata.namespace}_${metadata.name}_${metadata.uid}`);
    mkdirSync(directory, { recursive: true });
    const podIP = spec.hostNetwork ? hostIP : addresses.allocate();
    this.#sandbox = { directory, podIP, createdEpochMs: nowEpochMs() };
    this.#changed();
    return this.#sandbox;
  }

  #deadline(): NodeJS.Timeout | undefined {
    const { activeDeadlineSeconds, terminationGracePeriodSeconds } = this.pod.spec;
    if (activeDeadlineSeconds === undefined) return undefined;
    const reason = 'DeadlineExceeded';
    const message = 'Pod was active on the node longer than the specified deadline';
    return setTimeout(() => {
      this.#services.events.record(this.pod.object, { type: 'Normal', reason, message });
      void this.terminate(terminationGracePeriodSeconds * 1000, { reason, message });
    }, activeDeadlineSeconds * 1000);
  }

  #changed(): void {
    this.#changes.emit('change');
    this.#writer.write(this.#progress());
  }

  #progress(): PodProgress {
    const sandbox = this.#sandbox;
    return {
      acceptedEpochMs: this.#acceptedEpochMs,
      hostIP: this.#services.hostIP,
      ...(sandbox === undefined ? {} : { podIP: sandbox.podIP, sandboxEpochMs: sandbox.createdEpochMs }),
      statuses: new Map([...this.#runners].map(([name, runner]) => [name, runner.status])),
      isTerminated: this.#isTerminated,
      ...present({ failure: this.#failure }),
    };
  }
}
