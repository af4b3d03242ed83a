import type { KubeObject, ResourceName, StoreChange } from '../cluster-store.ts';
import { expired } from './status-error.ts';

/** One change as the log keeps it. Its objects are shared by all readers and must not be changed. */
export interface LoggedChange extends StoreChange {
  resource: ResourceName;
  revision: number;
  /** The object as it was; absent from ADDED. */
  previous?: KubeObject;
}

/** Is told of each change, in order. */
export type ChangeListener = (change: LoggedChange) => void;

/** The last changes of the store, for watches that go on from a resourceVersion, and whoever listens to what comes. */
export class ChangeLog {
  readonly #window: number;
  readonly #listeners = new Set<ChangeListener>();
  readonly #undelivered: LoggedChange[] = [];
  #changes: LoggedChange[] = [];
  #oldestRevision = 1;
  #delivering = false;
  /** The resourceVersion of the latest change. */
  revision = 1;

  /** @param window - how many changes are kept at least */
  constructor(window: number) {
    this.#window = window;
  }

  /** Logs a change at the next revision, which `object` already carries, and tells the listeners. */
  append(change: LoggedChange): void {
    this.revision = change.revision;
    this.#changes.push(change);
    // Twice the window may gather before it is cut, so that cutting costs next to nothing per change.
    if (this.#changes.length > 2 * this.#window) {
      this.compact();
    }
    this.#undelivered.push(change);
    this.#deliver();
  }

  /** Forgets all changes but the last `window`, as etcd's compaction does; older versions are then Expired. */
  compact(window = this.#window): void {
    const dropped = this.#changes.splice(0, Math.max(0, this.#changes.length - window));
    this.#oldestRevision = dropped.at(-1)?.revision ?? this.#oldestRevision;
  }

  /**
   * The changes after a revision.
   *
   * @throws StatusError Expired (410) if some of them are no longer kept.
   */
  since(revision: number): LoggedChange[] {
    if (revision < this.#oldestRevision) {
      throw expired(`too old resource version: ${revision} (${this.#oldestRevision})`);
    }
    return this.#changes.filter((change) => change.revision > revision);
  }

  /** Calls `listener` at each later change; returns how to stop it. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A listener may itself change the store: that change is delivered after the present one, to everybody. */
  #deliver(): void {
    if (this.#delivering) {
      return;
    }
    this.#delivering = true;
    try {
      for (let change = this.#undelivered.shift(); change !== undefined; change = this.#undelivered.shift()) {
        for (const listener of Array.from(this.#listeners)) {
          listener(change);
        }
      }
    } finally {
      this.#delivering = false;
    }
  }
}
