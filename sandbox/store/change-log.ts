import type { KubeObject, ResourceName, StoreChange } from '../cluster-store.ts';
import { expired } from './status-error.ts';

/** One change in the log. All readers share its objects, so they must not change them. */
export interface LoggedChange extends StoreChange {
  resource: ResourceName;
  revision: number;
  /** The object before the change. ADDED has none. */
  previous?: KubeObject;
}

/** Receives each change, in order. */
export type ChangeListener = (change: LoggedChange) => void;

/** Keeps the last changes, for watches that resume from a resourceVersion, and notifies listeners of new changes. */
export class ChangeLog {
  readonly #window: number;
  readonly #listeners = new Set<ChangeListener>();
  readonly #undelivered: LoggedChange[] = [];
  #changes: LoggedChange[] = [];
  #oldestRevision = 1;
  #delivering = false;
  /** The resourceVersion of the latest change. */
  revision = 1;

  /** @param window the least number of changes to keep */
  constructor(window: number) {
    this.#window = window;
  }

  /** Logs a change and notifies the listeners. The change's object already carries the next revision. */
  append(change: LoggedChange): void {
    this.revision = change.revision;
    this.#changes.push(change);
    // The log grows to twice the window before it is cut, so that cutting costs little per change.
    if (this.#changes.length > 2 * this.#window) this.compact();
    this.#undelivered.push(change);
    this.#deliver();
  }

  /** Drops all changes but the last `window`, as etcd's compaction does. Older versions are then Expired. */
  compact(window = this.#window): void {
    const dropped = this.#changes.splice(0, Math.max(0, this.#changes.length - window));
    this.#oldestRevision = dropped.at(-1)?.revision ?? this.#oldestRevision;
  }

  /** Returns the changes after a revision. @throws StatusError Expired (410) if the log has dropped some of them. */
  since(revision: number): LoggedChange[] {
    if (revision < this.#oldestRevision) {
      throw expired(`too old resource version: ${revision} (${this.#oldestRevision})`);
    }
    // Most watches begin just behind the last change.
    return this.#changes.slice(this.#changes.findLastIndex((change) => change.revision <= revision) + 1);
  }

  /** Calls `listener` with each later change. Returns a function that unsubscribes it. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Delivers changes in order. A change that a listener makes is delivered after the present one. */
  #deliver(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let change = this.#undelivered.shift(); change !== undefined; change = this.#undelivered.shift()) {
        for (const listener of Array.from(this.#listeners)) listener(change);
      }
    } finally {
      this.#delivering = false;
    }
  }
}
