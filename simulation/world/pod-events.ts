import type { EventView } from '../../core/pod/kubernetes-objects.ts';

/** Reasons after which a Pod's sandbox is known to exist. */
const afterSandbox: ReadonlySet<string> = new Set(['Pulling', 'Pulled', 'Created', 'Started']);

/**
 * The Events of a namespace's Pods, as a kubelet and a scheduler write them: repeated words only raise a count, times
 * have a resolution of one second, and an Event outlives its Pod.
 */
export class PodEvents {
  readonly #nowEpochMs: () => number;
  readonly #events = new Map<string, Map<string, EventView>>();
  readonly #withoutSandbox = new Set<string>();

  constructor(nowEpochMs: () => number) {
    this.#nowEpochMs = nowEpochMs;
  }

  add({ name, uid }: { name: string; uid: string }, type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (reason === 'FailedCreatePodSandBox') this.#withoutSandbox.add(uid);
    if (afterSandbox.has(reason)) this.#withoutSandbox.delete(uid);
    const ofPod = this.#events.get(name) ?? new Map<string, EventView>();
    this.#events.set(name, ofPod);
    const key = `${uid} ${reason} ${message}`;
    const known = ofPod.get(key);
    const lastTimestamp = new Date(Math.floor(this.#nowEpochMs() / 1000) * 1000).toISOString();
    const firstTimestamp = known?.firstTimestamp ?? lastTimestamp;
    const count = (known?.count ?? 0) + 1;
    ofPod.set(key, { type, reason, message, involvedObject: { uid }, count, firstTimestamp, lastTimestamp });
  }

  of(name: string): EventView[] {
    return [...(this.#events.get(name)?.values() ?? [])];
  }

  /** Says whether the latest Event about a Pod's sandbox is a failure to make it. */
  lacksSandbox(uid: string): boolean {
    return this.#withoutSandbox.has(uid);
  }
}
