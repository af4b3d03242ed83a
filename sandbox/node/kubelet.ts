import type { KubeObject, StoreChange } from '../cluster-store.ts';
import type { LogOptions, PodLogs } from '../pod-logs.ts';
import { StatusError } from '../store/status-error.ts';
import { batch } from './batch.ts';
import type { NodeServices } from './node-services.ts';
import { readPod } from './pod.ts';
import type { FailureVerdict } from './pod-status.ts';
import { PodWorker } from './pod-worker.ts';

/** The grace period of a Pod that is deleted by force, as in the real kubelet. */
const leastGraceMs = 1000;

/** Runs the Pods that are bound to its node, and stops them when they are deleted. */
export class Kubelet implements PodLogs {
  readonly #services: NodeServices;
  readonly #workers = new Map<string, PodWorker>();
  readonly #removals = new Map<string, Promise<void>>();
  /** The last unhandled change of each Pod, by uid. */
  readonly #changes = new Map<string, StoreChange>();
  readonly #round = batch(() => this.#react());
  readonly #unsubscribe: () => void;

  constructor(services: NodeServices) {
    this.#services = services;
    this.#unsubscribe = services.store.subscribe('pods', (change) => this.#notice(change));
    for (const object of services.store.list('pods')) this.#notice({ type: 'ADDED', object });
  }

  read(pod: KubeObject, options: LogOptions): AsyncIterable<Buffer> | undefined {
    return this.#workers.get(pod.metadata.uid)?.readLog(options);
  }

  /** Stops a Pod's containers and reports the Pod as failed. */
  async fail(uid: string, failure: FailureVerdict): Promise<void> {
    await this.#workers.get(uid)?.terminate(leastGraceMs, failure);
  }

  /** Writes the status of one Pod or of all again, and handles changes that arrived while the node was lost. */
  republish(uid?: string): void {
    for (const worker of this.#workers.values()) {
      if (uid === undefined || worker.pod.metadata.uid === uid) worker.republish();
    }
    this.#round.request();
  }

  /**
   * Stops every container. The Pods keep their last status in the API.
   *
   * @param gracePeriodMs how long the containers have to end by themselves
   */
  async stop(gracePeriodMs: number): Promise<void> {
    this.#unsubscribe();
    this.#round.stop();
    const workers = [...this.#workers.values()];
    await Promise.all(workers.map(async (worker) => worker.terminate(gracePeriodMs)));
    await Promise.all(this.#removals.values());
    for (const worker of workers) worker.dispose();
  }

  #notice(change: StoreChange): void {
    if (change.object.spec?.['nodeName'] === this.#services.nodeName) {
      this.#changes.set(change.object.metadata.uid, change);
      this.#round.request();
    }
  }

  #react(): void {
    if (this.#services.isSilent()) return;
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    for (const { type, object } of changes) {
      const { uid, deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
      if (type === 'DELETED' && !this.#workers.has(uid)) continue;
      if (type === 'DELETED' || deletionTimestamp !== undefined) {
        const graceSeconds = type === 'DELETED' ? 0 : deletionGracePeriodSeconds;
        this.#remove(object, Math.max(graceSeconds * 1000, leastGraceMs));
      } else if (!this.#workers.has(uid)) {
        this.#accept(object);
      }
    }
  }

  #accept(object: KubeObject): void {
    const { store, events } = this.#services;
    const { pod, flaw } = readPod(object);
    if (pod !== undefined) {
      this.#workers.set(pod.metadata.uid, new PodWorker(pod, this.#services));
      return;
    }
    const reason = 'UnexpectedAdmissionError';
    store.updateStatus('pods', object, (status) => ({ ...status, phase: 'Failed', reason, message: flaw }));
    events.record(object, { type: 'Warning', reason, message: flaw });
  }

  /** Stops a Pod and confirms its deletion. A second call can shorten the grace period. */
  #remove(object: KubeObject, gracePeriodMs: number): void {
    const { uid } = object.metadata;
    const worker = this.#workers.get(uid);
    void worker?.terminate(gracePeriodMs);
    if (!this.#removals.has(uid)) this.#removals.set(uid, this.#confirmRemoval(object, worker));
  }

  async #confirmRemoval(object: KubeObject, worker: PodWorker | undefined): Promise<void> {
    const { uid, namespace, name } = object.metadata;
    await worker?.finished;
    worker?.dispose();
    this.#workers.delete(uid);
    this.#services.events.forget(uid);
    try {
      this.#services.store.delete('pods', namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      // A forced delete has removed the Pod already, or another Pod of the same name exists now.
      if (!(error instanceof StatusError && ['NotFound', 'Conflict'].includes(error.status.reason ?? ''))) throw error;
    }
    this.#removals.delete(uid);
  }
}
