import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { LogOptions } from '../pod-logs.ts';
import { kubeTime } from '../store/kube-time.ts';
import { type Invocation, invocationOf } from './container-invocation.ts';
import { ContainerLog } from './container-log.ts';
import { StartError } from './container-process.ts';
import { ContainerRun, type Sandbox } from './container-run.ts';
import type { ContainerEnd, ContainerStatus, TerminatedState, WaitingState } from './container-state.ts';
import { ContainerConfigError } from './environment.ts';
import type { EventNote } from './event-recorder.ts';
import type { GracePeriod } from './grace-period.ts';
import type { SandboxImage } from './image-pull.ts';
import { obtainImage } from './image-puller.ts';
import { canonicalImage } from './image-reference.ts';
import type { NodeServices } from './node-services.ts';
import { pause } from './pause.ts';
import type { Container, Pod } from './pod.ts';
import { unstartedStatus } from './pod-status.ts';
import { readSourceIn } from './read-source.ts';
import { crashLoop, isSaidToWait, restartDelayMs, restartPolicyOf, shouldRestart } from './restart.ts';

/** A run longer than this ends a crash loop. */
const longRunMs = 600_000;
const neverStarted = kubeTime(0);

/** Runs one container, and restarts it as its Pod's policy demands. */
export class ContainerRunner {
  readonly container: Container;
  readonly #pod: Pod;
  readonly #services: NodeServices;
  readonly #onChange: () => void;
  readonly #stopping = new AbortController();
  #status: ContainerStatus;
  #starts = 0;
  #run: ContainerRun | undefined;
  /** The log of the present run, or of the last one. */
  #log: ContainerLog | undefined;
  #previousLog: ContainerLog | undefined;

  constructor(pod: Pod, container: Container, services: NodeServices, onChange: () => void) {
    this.container = container;
    this.#pod = pod;
    this.#services = services;
    this.#onChange = onChange;
    this.#status = unstartedStatus(pod, container);
  }

  get status(): ContainerStatus {
    return this.#status;
  }

  /** Runs the container until it ends without a restart, or `stop` ends it. */
  async run(sandbox: Sandbox): Promise<void> {
    const policy = restartPolicyOf(this.#pod, this.container);
    let restarts = 0;
    while (!this.#stopping.signal.aborted) {
      const startedEpochMs = this.#services.nowEpochMs();
      const end = await this.#runOnce(sandbox);
      if (end === undefined || this.#stopping.signal.aborted || !shouldRestart(policy, end)) return;
      restarts = this.#services.nowEpochMs() - startedEpochMs > longRunMs ? 0 : restarts;
      await this.#awaitRestart(end, restarts);
      restarts += 1;
    }
  }

  /** Stops the container without a restart. */
  async stop(grace: GracePeriod): Promise<void> {
    this.#stopping.abort();
    await this.#run?.stop(grace);
  }

  /** Reads the container's log. Returns undefined if it has not run, or has not run twice for `previous`. */
  readLog(options: LogOptions): AsyncIterable<Buffer> | undefined {
    // Between two runs, the last run is both the latest and the previous one, as in the kubelet.
    const isBetweenRuns = 'waiting' in this.#status.state;
    return (options.previous && !isBetweenRuns ? this.#previousLog : this.#log)?.read(options);
  }

  async #runOnce(sandbox: Sandbox): Promise<TerminatedState | undefined> {
    const reporter = {
      waiting: (waiting: WaitingState) => this.#update({ state: { waiting } }),
      note: (note: EventNote) => this.#note(note),
    };
    const image = await obtainImage(this.#pod, this.container, this.#services, reporter, this.#stopping.signal);
    const invocation = image && (await this.#configure(image, sandbox));
    return invocation && this.#execute(invocation, sandbox);
  }

  /** Configures the container. Waits as long as a source of its configuration is missing. */
  async #configure(image: SandboxImage, sandbox: Sandbox): Promise<Invocation | undefined> {
    const { nodeName, hostIP, environment } = this.#services;
    const facts = { nodeName, hostIP, podIP: sandbox.podIP };
    const readSource = readSourceIn(this.#services.store, this.#pod.metadata.namespace);
    const base = { ...environment, HOME: join(sandbox.directory, this.container.name) };
    while (!this.#stopping.signal.aborted) {
      try {
        return invocationOf(this.#pod, this.container, image, facts, base, readSource);
      } catch (error) {
        if (!(error instanceof ContainerConfigError)) throw error;
        const { message } = error;
        this.#note({ type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
        this.#update({ state: { waiting: { reason: 'CreateContainerConfigError', message } } });
      }
      await pause(this.#services.behaviourFor(this.#pod).resyncMs, this.#stopping.signal);
    }
    return undefined;
  }

  async #execute(invocation: Invocation, sandbox: Sandbox): Promise<TerminatedState> {
    const containerID = `containerd://${randomBytes(32).toString('hex')}`;
    const log = this.#openLog(sandbox);
    this.#starts += 1;
    this.#note({ type: 'Normal', reason: 'Created', message: `Created container: ${this.container.name}` });
    try {
      this.#run = await ContainerRun.start({
        pod: this.#pod,
        container: this.container,
        invocation,
        sandbox,
        services: this.#services,
        log,
        note: (note) => this.#note(note),
        onReady: (ready) => this.#update({ ready }),
      });
      return await this.#accompany(this.#run, containerID);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return this.#failToStart(error, containerID);
    } finally {
      this.#run = undefined;
      log.close();
    }
  }

  /** Reports a run as running, then as terminated. */
  async #accompany(run: ContainerRun, containerID: string): Promise<TerminatedState> {
    const startedAt = kubeTime(this.#services.nowEpochMs());
    const image = canonicalImage(this.container.image) ?? this.container.image;
    this.#note({ type: 'Normal', reason: 'Started', message: `Started container ${this.container.name}` });
    this.#update({
      image,
      imageID: image,
      containerID,
      restartCount: this.#starts - 1,
      ready: this.container.readinessProbe === undefined,
      started: true,
      state: { running: { startedAt } },
    });
    if (this.#stopping.signal.aborted) run.kill();
    return this.#terminated(await run.ended, startedAt, containerID);
  }

  #failToStart({ message }: StartError, containerID: string): TerminatedState {
    this.#note({ type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
    return this.#terminated({ exitCode: 128, reason: 'StartError', message }, neverStarted, containerID);
  }

  #terminated(end: ContainerEnd, startedAt: string, containerID: string): TerminatedState {
    const finishedAt = kubeTime(this.#services.nowEpochMs());
    const terminated = { ...end, startedAt, finishedAt, containerID };
    this.#update({
      containerID,
      restartCount: this.#starts - 1,
      ready: this.#isDone(end),
      started: false,
      state: { terminated },
    });
    return terminated;
  }

  /** Whether an init container has succeeded: it then counts as ready. */
  #isDone({ exitCode }: ContainerEnd): boolean {
    return exitCode === 0 && this.#pod.spec.initContainers.includes(this.container);
  }

  async #awaitRestart(end: TerminatedState, restarts: number): Promise<void> {
    const { crashBackOff, resyncMs } = this.#services.behaviourFor(this.#pod);
    const { name } = this.container;
    const lastState = { terminated: end };
    const isWaiting = isSaidToWait(this.#pod, this.container, end);
    if (isWaiting && end.reason === 'StartError') {
      const waiting = { reason: 'RunContainerError', message: end.message ?? '' };
      this.#update({ state: { waiting }, lastState });
    }
    await pause(resyncMs, this.#stopping.signal);
    const delayMs = restartDelayMs(crashBackOff, restarts);
    if (delayMs > 0 && !this.#stopping.signal.aborted) {
      const { metadata } = this.#pod;
      const where = `container ${name} in pod ${metadata.name}_${metadata.namespace}(${metadata.uid})`;
      this.#note({ type: 'Warning', reason: 'BackOff', message: `Back-off restarting failed ${where}` });
      if (isWaiting) this.#update({ state: { waiting: crashLoop(this.#pod, name, delayMs) }, lastState });
      await pause(delayMs, this.#stopping.signal);
    }
    this.#status = { ...this.#status, lastState };
  }

  #openLog(sandbox: Sandbox): ContainerLog {
    const path = join(sandbox.directory, `${this.container.name}-${this.#starts}.log`);
    this.#previousLog?.remove();
    this.#previousLog = this.#log;
    this.#log = new ContainerLog(path, () => this.#services.nowEpochMs());
    return this.#log;
  }

  #note(note: EventNote): void {
    const list = this.#pod.spec.initContainers.includes(this.container) ? 'initContainers' : 'containers';
    this.#services.events.record(this.#pod.object, { ...note, fieldPath: `spec.${list}{${this.container.name}}` });
  }

  #update(change: Partial<ContainerStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#onChange();
  }
}
