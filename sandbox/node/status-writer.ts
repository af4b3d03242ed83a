import { disguise } from './disguise.ts';
import type { NodeServices } from './node-services.ts';
import type { Pod } from './pod.ts';
import { type PodProgress, podStatus } from './pod-status.ts';

/** Writes one Pod's status to the API, as the node's behaviour demands. */
export class StatusWriter {
  readonly #pod: Pod;
  readonly #services: NodeServices;
  /** The timers of statuses that are not written yet. */
  readonly #lagging = new Set<NodeJS.Timeout>();
  /** The timer that rewrites the last status when the behaviour changes what it shows. */
  #next: NodeJS.Timeout | undefined;
  #runningEpochMs: number | undefined;
  #isClosed = false;

  constructor(pod: Pod, services: NodeServices) {
    this.#pod = pod;
    this.#services = services;
  }

  /** Writes the status now, or after the behaviour's lag. Statuses arrive in order. */
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

  /** Stops writing. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#next);
    for (const timer of this.#lagging) clearTimeout(timer);
  }

  #tell(progress: PodProgress): void {
    const { store, isSilent, overrides, behaviourFor, nowEpochMs } = this.#services;
    clearTimeout(this.#next);
    if (this.#isClosed || isSilent()) return;
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
    if (nextChangeInMs !== undefined) this.#next = setTimeout(() => this.#tell(progress), nextChangeInMs);
  }
}
