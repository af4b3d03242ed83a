import { EventView } from '../../core/pod/kubernetes-objects.ts';
import type { PodReports } from '../../ports/cluster.ts';

/** A cluster's reports about its Pods, in memory: a test provides them. */
export class MemoryReports implements PodReports {
  readonly #events = new Map<string, EventView[]>();

  addEvent(pod: string, event: Partial<EventView>): void {
    const added = EventView.parse({ type: 'Warning', involvedObject: {}, ...event });
    this.#events.set(pod, [...(this.#events.get(pod) ?? []), added]);
  }

  async events(_namespace: string, pod: string): Promise<EventView[]> {
    return structuredClone(this.#events.get(pod) ?? []);
  }

  /** No container has an output, unless a test replaces this. */
  async log(..._asked: Parameters<PodReports['log']>): Promise<string | undefined> {
    return undefined;
  }
}
