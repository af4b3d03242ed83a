import type { ContainerStatusView, PodView } from '../../core/pod/kubernetes-objects.ts';
import type { Core } from './core.ts';
import type { FaultKind } from './fault-kinds.ts';
import type { PodEvents } from './pod-events.ts';

type Container = PodView['spec']['containers'][number];
/** How long a kubelet repeats an action that never succeeds, in milliseconds: the launch is over long before. */
const everMs = 400_000;

type State = NonNullable<ContainerStatusView['state']>;

/** A Pod that a kubelet runs. */
export interface RunningPod {
  name: string;
  uid: string;
  launchId: string | undefined;
  spec: PodView['spec'];
}

/** The callbacks of a kubelet to its node. */
export interface KubeletReports {
  isThere(pod: RunningPod): boolean;
  statuses(pod: RunningPod, of: 'init' | 'regular', statuses: ContainerStatusView[]): void;
  started(pod: RunningPod, container: Container): void;
  /** A container ended by itself. */
  ended(pod: RunningPod, container: Container, exitCode: number): void;
}

/** Makes the sandbox of one Pod and starts its containers, each with its possible trouble. */
export class Kubelet {
  readonly #core: Core;
  readonly #events: PodEvents;
  readonly #pod: RunningPod;
  readonly #reports: KubeletReports;
  readonly #statuses = new Map<string, ContainerStatusView>();

  constructor(core: Core, events: PodEvents, pod: RunningPod, reports: KubeletReports) {
    this.#core = core;
    this.#events = events;
    this.#pod = pod;
    this.#reports = reports;
  }

  run(): void {
    const { initContainers = [], containers } = this.#pod.spec;
    for (const { name } of [...initContainers, ...containers])
      this.#statuses.set(name, waiting(name, 'ContainerCreating'));
    if (this.#hits('sandboxFails')) return this.#failSandbox(everMs, () => undefined);
    if (this.#hits('sandboxSlow'))
      return this.#failSandbox(this.#core.random.between(1000, 15_000), () => this.#initialise());
    this.#initialise();
  }

  /** Writes the end of a container into its status, unless the Pod is gone. */
  end(name: string, exitCode: number): void {
    this.#set(name, { terminated: { exitCode } });
  }

  #failSandbox(forMs: number, then: () => void): void {
    const untilEpochMs = this.#core.scheduler.nowEpochMs() + forMs;
    const attempt = () => {
      if (!this.#isThere()) return;
      if (this.#core.scheduler.nowEpochMs() >= untilEpochMs) return then();
      this.#event('Warning', 'FailedCreatePodSandBox', 'plugin type="cni" failed (add): no address');
      this.#core.later(3000, 12_000, attempt);
    };
    this.#core.later(200, 1500, attempt);
  }

  /** Runs the init containers one after the other, then starts the others. */
  #initialise(index = 0): void {
    const container = this.#pod.spec.initContainers?.[index];
    if (container === undefined) {
      for (const regular of this.#pod.spec.containers) this.#pull(regular, () => this.#start(regular));
      return;
    }
    const next = () => this.#initialise(index + 1);
    this.#pull(container, () => {
      this.#start(container);
      if (container.restartPolicy === 'Always') return this.#runSidecar(container, next);
      this.#runInit(container, next);
    });
  }

  #runInit(container: Container, next: () => void): void {
    const exitCode = this.#hits('initFails') ? 1 : 0;
    const [fromMs, toMs] = this.#hits('initSlow') ? [31_000, 40_000] : [10, 500];
    this.#core.later(fromMs, toMs, () => {
      if (!this.#isThere()) return;
      this.#set(container.name, { terminated: { exitCode } });
      if (exitCode === 0) next();
      else this.#reports.ended(this.#pod, container, exitCode);
    });
  }

  #runSidecar({ name }: Container, next: () => void): void {
    next();
    if (!this.#hits('sidecarEnds')) return;
    this.#core.later(10, 5000, () => this.#set(name, { terminated: { exitCode: 1 } }));
    this.#core.later(5100, 8000, () => {
      this.#statuses.set(name, { name, restartCount: 1, lastState: { terminated: { exitCode: 1 } } });
      this.#set(name, { running: {} });
    });
  }

  #start(container: Container): void {
    const { name } = container;
    this.#event('Normal', 'Created', `Created container: ${name}`);
    this.#event('Normal', 'Started', `Started container ${name}`);
    this.#reports.started(this.#pod, container);
    this.#set(name, { running: {} });
  }

  #pull(container: Container, then: () => void): void {
    const { name, image = '' } = container;
    const pulled = (fromMs: number, toMs: number) => {
      this.#event('Normal', 'Pulling', `Pulling image "${image}"`);
      this.#core.later(fromMs, toMs, () => {
        if (!this.#isThere()) return;
        this.#event('Normal', 'Pulled', `Successfully pulled image "${image}"`);
        then();
      });
    };
    if (this.#hits('imagePullFails')) return this.#failPull(container, everMs, () => undefined);
    if (this.#hits('imagePullSlow')) {
      return this.#failPull(container, this.#core.random.between(1000, 5500), () => {
        this.#set(name, { waiting: { reason: 'ContainerCreating' } });
        pulled(50, 1000);
      });
    }
    if (this.#hits('imagePullLong')) return pulled(31_000, 45_000);
    pulled(50, 2000);
  }

  /** Tries to pull, and backs off, until the time is over. */
  #failPull({ name, image = '' }: Container, forMs: number, then: () => void): void {
    const untilEpochMs = this.#core.scheduler.nowEpochMs() + forMs;
    const message = `Back-off pulling image "${image}"`;
    const say = (reason: 'ErrImagePull' | 'ImagePullBackOff') => {
      this.#event('Warning', 'Failed', `Error: ${reason}`);
      this.#set(name, { waiting: { reason, message } });
    };
    const attempt = () => {
      if (!this.#isThere()) return;
      if (this.#core.scheduler.nowEpochMs() >= untilEpochMs) return then();
      this.#event('Normal', 'Pulling', `Pulling image "${image}"`);
      this.#core.later(50, 500, () => this.#isThere() && say('ErrImagePull'));
      this.#core.later(600, 900, () => this.#isThere() && say('ImagePullBackOff'));
      this.#core.later(Math.min(forMs, 8000), Math.min(forMs, 20_000) + 1, attempt);
    };
    attempt();
  }

  #set(name: string, state: State): void {
    this.#statuses.set(name, { ...this.#statuses.get(name), name, state });
    const { initContainers = [], containers } = this.#pod.spec;
    const isInit = initContainers.some((container) => container.name === name);
    this.#core.later(1, 200, () => {
      const statuses = (isInit ? initContainers : containers).map(
        (container) => this.#statuses.get(container.name) ?? { name: container.name },
      );
      this.#reports.statuses(this.#pod, isInit ? 'init' : 'regular', statuses);
    });
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.add(this.#pod, type, reason, message);
  }

  #isThere(): boolean {
    return this.#reports.isThere(this.#pod);
  }

  #hits(kind: FaultKind): boolean {
    return this.#core.faults.hits(kind, this.#pod.launchId);
  }
}

function waiting(name: string, reason: string): ContainerStatusView {
  return { name, state: { waiting: { reason } } };
}
