import type { KubeObject } from '../cluster-store.ts';
import type { MemoryStore } from './memory-store.ts';

/** How long the API server keeps an Event after it was last written, unless told otherwise. */
const LIFETIME_MS = 60 * 60 * 1000;

const lastWrittenEpochMs = (event: KubeObject): number => {
  const { lastTimestamp } = event;
  return Date.parse(typeof lastTimestamp === 'string' ? lastTimestamp : event.metadata.creationTimestamp);
};

/** Deletes the Events that are too old. */
export const expireEvents = (store: MemoryStore, nowEpochMs: number): void => {
  for (const event of store.objects.list('events')) {
    if (lastWrittenEpochMs(event) + LIFETIME_MS < nowEpochMs) {
      store.delete('events', event.metadata.namespace, event.metadata.name);
    }
  }
};
