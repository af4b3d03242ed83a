import { EventView } from '../../core/pod/kubernetes-objects.ts';
import type { LogTail, PodReports } from '../../ports/cluster.ts';

/** A cluster's reports about its Pods, in memory: a test provides them. */
export class MemoryReports implements PodReports {
  readonly #events = new Map<string, EventView[]>();
  readonly #logs = new Map<string, string>();

  /** Adds an Event of a Pod. */
  addEvent(pod: string, event: Partial<EventView>): void {
    const added = EventView.parse({ type: 'Warning', involvedObject: {}, ...event });
    this.#events.set(pod, [...(this.#events.get(pod) ?? []), added]);
  }

  /** Sets a container's output. */
  setLog(pod: string, container: string, text: string): void {
    this.#logs.set(`${pod}/${container}`, text);
  }

  async events(_namespace: string, pod: string): Promise<EventView[]> {
    return structuredClone(this.#events.get(pod) ?? []);
  }

  async log(_namespace: string, pod: string, container: string, { lines }: LogTail): Promise<string | undefined> {
    const text = this.#logs.get(`${pod}/${container}`);
    return (
      text
        ?.match(/[^\n]*\n|[^\n]+$/g)
        ?.slice(-lines)
        .join('') ?? text
    );
  }
}
