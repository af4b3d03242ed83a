import type { PodView, ServiceView } from '../../../functions/domain/kubernetes-objects.ts';
import { labelKeys } from '../../../functions/domain/names.ts';
import type { Cluster, Manifest, ObjectPage, ObjectPort, ObserveOptions } from '../../../functions/ports/cluster.ts';
import type { SimulatedCluster } from './cluster.ts';
import type { Invocation } from './invocation.ts';
import type { ClusterObject, ObjectStore } from './object-store.ts';

const silenceMs = 10_000;
const pauseMs = 250;
const pageSize = 2;

interface Kind<View> {
  store: ObjectStore<View & ClusterObject>;
  create: (manifest: Manifest) => View | undefined;
  delete: (name: string, wasRead: boolean) => void;
}

/** The cluster as one run of a function reaches it. */
export function clusterOf(cluster: SimulatedCluster, invocation: Invocation): Cluster {
  return {
    services: new SimulatedObjects<ServiceView>(invocation, {
      store: cluster.services,
      create: (manifest) => cluster.createService(manifest, 'davit'),
      delete: (name, wasRead) => cluster.deleteService(name, 'davit', wasRead),
    }),
    pods: new SimulatedObjects<PodView>(invocation, {
      store: cluster.pods,
      create: (manifest) => cluster.createPod(manifest, 'davit'),
      delete: (name, wasRead) => cluster.deletePod(name, 'davit', wasRead),
    }),
    nodes: { get: async () => undefined },
    reports: {
      events: async () => invocation.reads('cluster', () => []),
      log: async (_namespace, name) => invocation.reads('cluster', () => cluster.logs.get(name)),
    },
  };
}

/** What of a watch came next: how far it has come, or why it said nothing. */
type Next = 'changed' | 'closed' | 'over';

/** One kind of object as one run of a function reaches it: every read is remembered, for deletions to be held to. */
export class SimulatedObjects<View extends ClusterObject> implements ObjectPort<View> {
  readonly #invocation: Invocation;
  readonly #kind: Kind<View>;

  constructor(invocation: Invocation, kind: Kind<View>) {
    this.#invocation = invocation;
    this.#kind = kind;
  }

  async create(manifest: Manifest): Promise<View | undefined> {
    return this.#invocation.writes('cluster', () => this.#read(this.#kind.create(manifest)));
  }

  async get(_namespace: string, name: string): Promise<View | undefined> {
    return this.#invocation.reads('cluster', () => this.#read(this.#kind.store.get(name)));
  }

  async list(_namespace: string, labels: Readonly<Record<string, string>>, cursor?: string): Promise<ObjectPage<View>> {
    return this.#invocation.reads('cluster', () => {
      const wanted = Object.entries(labels);
      const found = this.#kind.store
        .all()
        .filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value))
        .filter(({ metadata }) => cursor === undefined || metadata.name > cursor)
        .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
      const items = found.slice(0, pageSize);
      for (const item of items) this.#read(item);
      const last = items.at(-1);
      return last !== undefined && found.length > pageSize ? { items, cursor: last.metadata.name } : { items };
    });
  }

  async delete(_namespace: string, name: string, uid: string): Promise<void> {
    await this.#invocation.writes('cluster', () => {
      if (this.#kind.store.find(name, uid) !== undefined) this.deleteByName(name);
    });
  }

  /** Deletes whatever has the name: davit never does. */
  deleteByName(name: string): void {
    const found = this.#kind.store.get(name);
    this.#kind.delete(name, found !== undefined && this.#invocation.read.has(found.metadata.uid));
  }

  async *observe(
    namespace: string,
    name: string,
    { since, forMs, signal }: ObserveOptions,
  ): AsyncIterable<View | undefined> {
    const untilEpochMs = this.#invocation.nowEpochMs() + forMs;
    let version = since === undefined ? undefined : Number(since);
    const { faults } = this.#invocation.core;
    const hits = (fault: 'watchGap' | 'watchExpired') => faults.hits(fault, this.#invocation.launchId);
    const isOver = () => signal?.aborted === true || this.#invocation.nowEpochMs() >= untilEpochMs;
    do {
      if (version === undefined || hits('watchExpired')) {
        const view = await this.get(namespace, name);
        yield view;
        if (view === undefined) return;
        version = Number(view.metadata.resourceVersion);
      }
      for (;;) {
        const change = this.#kind.store.changesOf(name).find((candidate) => candidate.version > Number(version));
        if (change === undefined) {
          const next = await this.#next(name, untilEpochMs, signal);
          if (next === 'changed' && !hits('watchGap')) continue;
          if (next === 'over') return;
          break;
        }
        yield this.#read(change.view);
        if (change.view === undefined) return;
        version = change.version;
      }
      version = undefined;
      await this.#invocation.sleepMs(pauseMs, signal);
    } while (!isOver());
  }

  /** Waits for a change to come through a watch, for the watch to end, or for the time to be up. */
  async #next(name: string, untilEpochMs: number, signal: AbortSignal | undefined): Promise<Next> {
    const { faults, random, scheduler } = this.#invocation.core;
    const leftMs = untilEpochMs - this.#invocation.nowEpochMs();
    if (signal?.aborted || leftMs <= 0) return 'over';
    const isSilent = faults.hits('watchSilent', this.#invocation.launchId);
    return new Promise((resolve) => {
      const end = (next: Next) => {
        unwatch();
        timer.cancel();
        signal?.removeEventListener('abort', abort);
        if (this.#invocation.alive) resolve(next);
      };
      const abort = () => end('over');
      const unwatch = this.#kind.store.watch(name, () => {
        if (!isSilent) scheduler.after(random.between(1, 20), () => end('changed'));
      });
      const timer = scheduler.after(Math.min(leftMs, silenceMs), () => end(leftMs <= silenceMs ? 'over' : 'closed'));
      signal?.addEventListener('abort', abort);
    });
  }

  #read(view: View | undefined): View | undefined {
    if (view !== undefined) this.#invocation.read.set(view.metadata.uid, view.metadata.labels?.[labelKeys.launchId]);
    return view;
  }
}
