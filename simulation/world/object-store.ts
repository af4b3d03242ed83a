import type { PodView } from '../../core/pod/kubernetes-objects.ts';

/** The fields of every object in a cluster. */
export interface ClusterObject {
  metadata: PodView['metadata'];
}

/** One change of one object, in the order of versions; without a view, the object was deleted. */
export interface Change<View> {
  version: number;
  view: View | undefined;
}

/** The objects of one kind, and the history of their changes. Objects are replaced, never changed. */
export class ObjectStore<View extends ClusterObject> {
  readonly #nextVersion: () => number;
  readonly #objects = new Map<string, View>();
  readonly #changes = new Map<string, Change<View>[]>();
  readonly #watchers = new Map<string, Set<() => void>>();

  /** @param nextVersion makes the resourceVersions, which all kinds of a cluster share */
  constructor(nextVersion: () => number) {
    this.#nextVersion = nextVersion;
  }

  get(name: string): View | undefined {
    return this.#objects.get(name);
  }

  /** Finds an object by name, if it still has this uid. */
  find(name: string, uid: string): View | undefined {
    const found = this.#objects.get(name);
    return found?.metadata.uid === uid ? found : undefined;
  }

  all(): View[] {
    return [...this.#objects.values()];
  }

  /** @returns the stored object, with its version */
  put(object: View): View {
    const version = this.#nextVersion();
    const view = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    this.#objects.set(view.metadata.name, view);
    this.#announce(view.metadata.name, { version, view });
    return view;
  }

  remove(name: string): void {
    if (this.#objects.delete(name)) this.#announce(name, { version: this.#nextVersion(), view: undefined });
  }

  /** The changes of a name, oldest first. */
  changesOf(name: string): readonly Change<View>[] {
    return this.#changes.get(name) ?? [];
  }

  /** Calls back at each change of a name. @returns a function that ends this */
  watch(name: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watchers.add(changed));
    return () => watchers.delete(changed);
  }

  #announce(name: string, change: Change<View>): void {
    const changes = this.#changes.get(name);
    if (changes === undefined) this.#changes.set(name, [change]);
    else changes.push(change);
    for (const changed of this.#watchers.get(name) ?? []) changed();
  }
}
