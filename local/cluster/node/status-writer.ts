import { disguise } from './disguise.ts';
import type { NodeServices } from './node-services.ts';
import type { Pod } from './pod.ts';
import { type PodProgress, podStatus } from './pod-status.ts';

/** Writes one Pod's status to the API, as the node's behaviour has it. */
export class StatusWriter {
  readonly #pod: Pod;
  readonly #services: NodeServices;
  /** Statuses that are on their way. */
  readonly #lagging = new Set<NodeJS.Timeout>();
  /** When the last status is told otherwise although nothing happens. */
  #next: NodeJS.Timeout | undefined;
  #runningEpochMs: number | undefined;
  #isClosed = false;

  constructor(pod: Pod, services: NodeServices) {
    this.#pod = pod;
    this.#services = services;
  }

  /** Tells the API, now or as much later as the behaviour says; what is on its way arrives in order. */
  write(progress: PodProgress): void {
    const { statusLagMs } = this.#services.behaviourFor(this.#pod);
    if (statusLagMs === 0 && this.#lagging.size === 0) {
      this.#tell(progress);
      return;
    }
    const timer = setTimeout(() => {
      this.#lagging.delete(timer);
      this.#tell(progress);
    }, statusLagMs);
    this.#lagging.add(timer);
  }

  /** Tells nothing any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#next);
    for (const timer of this.#lagging) {
      clearTimeout(timer);
    }
  }

  #tell(progress: PodProgress): void {
    const { store, isSilent, overrides, behaviourFor, nowEpochMs } = this.#services;
    clearTimeout(this.#next);
    if (this.#isClosed || isSilent()) {
      return;
    }
    const now = nowEpochMs();
    let nextChangeInMs: number | undefined;
    store.updateStatus('pods', this.#pod.object, (current) => {
      const truth = podStatus(this.#pod, progress, current, now);
      this.#runningEpochMs ??= truth.phase === 'Running' ? now : undefined;
      const since = (epochMs: number | undefined) => (epochMs === undefined ? undefined : now - epochMs);
      const told = disguise(truth, behaviourFor(this.#pod), {
        sinceAcceptedMs: now - progress.acceptedEpochMs,
        sinceSandboxMs: since(progress.sandboxEpochMs),
        sinceRunningMs: since(this.#runningEpochMs),
      });
      nextChangeInMs = told.nextChangeInMs;
      return { ...told.status, ...overrides.get(this.#pod.metadata.uid) };
    });
    if (nextChangeInMs !== undefined) {
      this.#next = setTimeout(() => this.#tell(progress), nextChangeInMs);
    }
  }
}
