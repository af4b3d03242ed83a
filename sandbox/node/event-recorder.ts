import { randomBytes } from 'node:crypto';
import { present } from '../../core/present.ts';
import type { KubeObject } from '../cluster-store.ts';
import { kubeTime } from '../store/kube-time.ts';
import { StatusError } from '../store/status-error.ts';
import type { NodeStore } from './node-store.ts';

/** An Event of an object, in the words of its component. */
export interface EventNote {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** The part of the object that the Event concerns, such as `spec.containers{agent}`. */
  fieldPath?: string;
}

/** Writes the Events of one component. Counts an Event that occurs again. */
export class EventRecorder {
  readonly #store: NodeStore;
  readonly #source: { component: string; host?: string };
  readonly #nowEpochMs: () => number;
  /** The names of the written Events, by the fields that identify an Event. */
  readonly #written = new Map<string, string>();

  constructor(store: NodeStore, source: { component: string; host?: string }, nowEpochMs: () => number) {
    this.#store = store;
    this.#source = source;
    this.#nowEpochMs = nowEpochMs;
  }

  /** Writes an Event about `object`, or increments the count of an equal one. */
  record(object: KubeObject, note: EventNote): void {
    const { uid } = object.metadata;
    const namespace = object.metadata.namespace ?? 'default';
    const key = JSON.stringify([uid, note]);
    const earlier = this.#store.get('events', namespace, this.#written.get(key) ?? '');
    const lastTimestamp = kubeTime(this.#nowEpochMs());
    if (earlier !== undefined) {
      this.#store.update('events', { ...earlier, count: Number(earlier['count']) + 1, lastTimestamp });
      return;
    }
    const name = `${object.metadata.name}.${randomBytes(8).toString('hex')}`;
    if (this.#create(object, name, namespace, note, lastTimestamp)) this.#written.set(key, name);
  }

  /** Forgets the Events of a deleted object. */
  forget(uid: string): void {
    for (const key of this.#written.keys()) {
      if (key.startsWith(JSON.stringify([uid]).slice(0, -1))) this.#written.delete(key);
    }
  }

  #create(object: KubeObject, name: string, namespace: string, note: EventNote, now: string): boolean {
    const { fieldPath, ...rest } = note;
    const { apiVersion, kind, metadata } = object;
    const { name: own, namespace: home, resourceVersion, uid } = metadata;
    try {
      this.#store.create('events', {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace },
        involvedObject: present({ apiVersion, kind, name: own, namespace: home, uid, resourceVersion, fieldPath }),
        ...rest,
        source: this.#source,
        reportingComponent: this.#source.component,
        reportingInstance: this.#source.host ?? '',
        count: 1,
        firstTimestamp: now,
        lastTimestamp: now,
        eventTime: null,
      });
      return true;
    } catch (error) {
      // A Namespace that is being deleted accepts no Events. Like a kubelet, the recorder then drops the Event.
      if (error instanceof StatusError && [403, 404].includes(error.status.code)) return false;
      throw error;
    }
  }
}
