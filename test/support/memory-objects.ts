import type { PodView } from '../../core/pod/kubernetes-objects.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import { present } from '../../core/present.ts';
import type { ObjectPage, ObjectPort, ObserveOptions } from '../../ports/cluster.ts';
import type { TestClock } from './test-clock.ts';

/** The part of an object that the API server maintains. */
export interface StoredObject {
  metadata: PodView['metadata'];
}

/** How a kind of object is stored. */
export interface MemoryObjectsOptions<View> {
  clock: TestClock;
  kind: string;
  /** Makes the stored object from the sent one. */
  accept: (manifest: Manifest, metadata: PodView['metadata']) => View;
  /** Called when an object is marked as being deleted. The object stays until `remove`. */
  onDeleting: (view: View) => void;
  /** Called with each effective write. */
  onWrite: (what: string) => void;
  nextVersion: () => number;
}

interface Change<View> {
  name: string;
  version: number;
  view: View | undefined;
}

/** Objects of one kind in one namespace, in memory, with the API server's rules as far as the port states them. */
export class MemoryObjects<View extends StoredObject> implements ObjectPort<View> {
  readonly #options: MemoryObjectsOptions<View>;
  readonly #views = new Map<string, View>();
  readonly #changes: Change<View>[] = [];
  #changed = new AbortController();
  /** The page size of a list. */
  pageSize = 500;

  constructor(options: MemoryObjectsOptions<View>) {
    this.#options = options;
  }

  async create(manifest: Manifest): Promise<View | undefined> {
    const { name, namespace, labels, annotations, ownerReferences } = manifest.metadata;
    if (this.#views.has(name)) return undefined;
    const { kind, nextVersion, accept, onWrite } = this.#options;
    const uid = `${kind.toLowerCase()}-uid-${nextVersion()}`;
    const creationTimestamp = new Date(this.#options.clock.nowEpochMs()).toISOString();
    const server = { uid, resourceVersion: '0', creationTimestamp };
    const metadata = { name, namespace, labels, annotations, ownerReferences, ...server };
    const view = accept(manifest, metadata);
    onWrite(`create ${kind} ${name}`);
    return this.put(view);
  }

  async get(_namespace: string, name: string): Promise<View | undefined> {
    return structuredClone(this.#views.get(name));
  }

  /** Continues after a name, as the API server does: a delete between two pages makes it miss no other object. */
  async list(_namespace: string, labels: Readonly<Record<string, string>>, after = ''): Promise<ObjectPage<View>> {
    const matches = ({ metadata }: View) =>
      metadata.name > after && Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
    const left = this.all()
      .filter(matches)
      .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
    const items = left.slice(0, this.pageSize);
    const last = items.at(-1);
    const cursor = left.length > items.length ? last?.metadata.name : undefined;
    return { items, resourceVersion: String(this.#changes.at(-1)?.version ?? 0), ...present({ cursor }) };
  }

  async *observe(
    namespace: string,
    name: string,
    { since, forMs, signal }: ObserveOptions,
  ): AsyncIterable<View | undefined> {
    if (!Number.isInteger(forMs)) throw new RangeError(`a timeout must be whole milliseconds, not ${forMs}`);
    const { clock } = this.#options;
    const endEpochMs = clock.nowEpochMs() + forMs;
    let next = this.#changes.length;
    if (since === undefined) {
      const view = await this.get(namespace, name);
      yield view;
      if (view === undefined) return;
    } else if (since === '0') {
      const view = await this.get(namespace, name);
      if (view !== undefined) yield view;
    } else {
      next = this.#changes.filter(({ version }) => version <= Number(since)).length;
    }
    for (;;) {
      for (; next < this.#changes.length; next += 1) {
        const change = this.#changes[next];
        if (change?.name !== name) continue;
        yield structuredClone(change.view);
        if (change.view === undefined) return;
      }
      const leftMs = endEpochMs - clock.nowEpochMs();
      if (leftMs <= 0 || signal?.aborted) return;
      const wakers = [this.#changed.signal, ...(signal ? [signal] : [])];
      await clock.sleepMs(leftMs, AbortSignal.any(wakers));
    }
  }

  async delete(_namespace: string, name: string, uid: string): Promise<void> {
    const { metadata } = this.#views.get(name) ?? {};
    if (metadata?.uid !== uid || metadata.deletionTimestamp !== undefined) return;
    this.#options.onWrite(`delete ${this.#options.kind} ${name} ${uid}`);
    this.markDeleting(name);
  }

  /** Marks an object as being deleted, as any client's delete does. */
  markDeleting(name: string): void {
    const view = this.#views.get(name);
    if (view === undefined || view.metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = new Date(this.#options.clock.nowEpochMs()).toISOString();
    this.put({ ...view, metadata: { ...view.metadata, deletionTimestamp } });
    this.#options.onDeleting(view);
  }

  /** Writes an object as given, as another client may. */
  put(view: View): View {
    const version = this.#options.nextVersion();
    const stored = { ...view, metadata: { ...view.metadata, resourceVersion: String(version) } };
    this.#views.set(stored.metadata.name, stored);
    this.#notify({ name: stored.metadata.name, version, view: stored });
    return structuredClone(stored);
  }

  /** Changes an object, as a controller or a kubelet does. Does nothing when it does not exist. */
  change(name: string, change: (view: View) => View): void {
    const view = this.#views.get(name);
    if (view !== undefined) this.put(change(structuredClone(view)));
  }

  /** Removes an object at once. */
  remove(name: string): void {
    if (this.#views.delete(name)) this.#notify({ name, version: this.#options.nextVersion(), view: undefined });
  }

  /** Every existing object. */
  all(): View[] {
    return structuredClone([...this.#views.values()]);
  }

  #notify(change: Change<View>): void {
    this.#changes.push(change);
    const changed = this.#changed;
    this.#changed = new AbortController();
    changed.abort();
  }
}
