import type { KubeObject } from '../cluster-store.ts';
import type { MemoryStore } from './memory-store.ts';

/** How long the API server keeps an Event after its last write, by default. */
const lifetimeMs = 60 * 60 * 1000;

function lastWrittenEpochMs(event: KubeObject): number {
  const { lastTimestamp } = event;
  return Date.parse(typeof lastTimestamp === 'string' ? lastTimestamp : event.metadata.creationTimestamp);
}

/** Deletes the Events that are older than their lifetime. */
export function expireEvents(store: MemoryStore, nowEpochMs: number): void {
  for (const event of store.objects.list('events')) {
    if (lastWrittenEpochMs(event) + lifetimeMs < nowEpochMs) {
      store.delete('events', event.metadata.namespace, event.metadata.name);
    }
  }
}
