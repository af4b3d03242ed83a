import { labelKeys } from '../../core/launch/names.ts';
import type { PodView, ServiceView } from '../../core/pod/kubernetes-objects.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import { present } from '../../core/present.ts';
import type { Cluster, ClusterHealth, ObjectPage, ObjectPort, ObserveOptions } from '../../ports/cluster.ts';
import { type ApiServer, named } from './api-server.ts';
import type { CreateOutages } from './create-outages.ts';
import type { Invocation } from './invocation.ts';
import type { SimulatedNamespace } from './namespace.ts';
import type { ClusterObject, ObjectStore } from './object-store.ts';
import type { Sighting } from './sightings.ts';

const silenceMs = 10_000;
const pauseMs = 250;
/** The adapter's patience with a request of an observation. */
const patienceMs = 5000;
const pageSize = 2;

interface Kind<View> {
  store: ObjectStore<View & ClusterObject>;
  create: (manifest: Manifest) => View | undefined;
  delete: (name: string, wasRead: boolean) => void;
  /** Remembers what a step saw. */
  saw?: (view: View) => void;
}

/** A cluster's API server and its namespaces, by name. */
export interface SimulatedCluster {
  server: ApiServer;
  namespaces: ReadonlyMap<string, SimulatedNamespace>;
  creates: CreateOutages;
}

/** The cluster as one run of a function reaches it. */
export function clusterOf(cluster: SimulatedCluster, invocation: Invocation): Cluster {
  const { server, namespaces } = cluster;
  return {
    services: new SimulatedObjects<ServiceView>(cluster, invocation, (name) => {
      const namespace = named(namespaces, name);
      return {
        store: namespace.services,
        create: (manifest) => namespace.createService(manifest, 'davit'),
        delete: (service, wasRead) => namespace.deleteService(service, 'davit', wasRead),
      };
    }),
    pods: new SimulatedObjects<PodView>(cluster, invocation, (name) => {
      const namespace = named(namespaces, name);
      return {
        store: namespace.pods,
        create: (manifest) => namespace.createPod(manifest, 'davit'),
        delete: (pod, wasRead) => namespace.deletePod(pod, 'davit', wasRead),
        saw: (pod) => {
          const { uid, name: podName, resourceVersion } = pod.metadata;
          const isCurrent = namespace.pods.get(podName)?.metadata.resourceVersion === resourceVersion;
          note(invocation, { uid, isCurrent, pod });
        },
      };
    }),
    nodes: { get: async (name) => invocation.reads(server, () => server.nodes.get(name)) },
    reports: {
      events: async (name, pod) =>
        invocation.reads(server, () => {
          const { events, pods } = named(namespaces, name);
          const uid = pods.get(pod)?.metadata.uid ?? '';
          note(invocation, { uid, isCurrent: true, lacksSandbox: events.lacksSandbox(uid) });
          return events.of(pod);
        }),
      log: async (name, pod) => invocation.reads(server, () => named(namespaces, name).logs.get(pod)),
    },
  };
}

/** The cluster as the probe reaches it. */
export function healthOf(cluster: SimulatedCluster, invocation: Invocation): ClusterHealth {
  const reads = () => invocation.reads(cluster.server, () => '1');
  return {
    look: reads,
    prove: async (namespace) => {
      await reads();
      await invocation.creates(cluster, namespace, () => undefined);
      return {};
    },
  };
}

const judging: ReadonlySet<string> = new Set(['poll-host-ip', 'publish-token']);

function note({ core, functionName, launchId }: Invocation, seen: Omit<Sighting, 'atEpochMs'>): void {
  if (judging.has(functionName)) core.sightings.add(launchId, { ...seen, atEpochMs: core.scheduler.nowEpochMs() });
}

/** The next result of a watch: its progress, or the reason for its silence. */
type Next = 'changed' | 'closed' | 'over';

/** One kind of object as one run of a function reaches it. Remembers every read, so that checks can judge deletions. */
export class SimulatedObjects<View extends ClusterObject> implements ObjectPort<View> {
  readonly #cluster: Pick<SimulatedCluster, 'server' | 'creates'>;
  readonly #server: ApiServer;
  readonly #invocation: Invocation;
  readonly #kindIn: (namespace: string) => Kind<View>;

  constructor(
    cluster: Pick<SimulatedCluster, 'server' | 'creates'>,
    invocation: Invocation,
    kindIn: (namespace: string) => Kind<View>,
  ) {
    this.#cluster = cluster;
    this.#server = cluster.server;
    this.#invocation = invocation;
    this.#kindIn = kindIn;
  }

  async create(manifest: Manifest): Promise<View | undefined> {
    const { namespace } = manifest.metadata;
    const { create } = this.#kindIn(namespace);
    return this.#invocation.creates(this.#cluster, namespace, () => this.#read(create(manifest)));
  }

  async get(namespace: string, name: string): Promise<View | undefined> {
    const { store, saw } = this.#kindIn(namespace);
    return this.#invocation.reads(this.#server, () => this.#read(store.get(name), saw));
  }

  async list(namespace: string, labels: Readonly<Record<string, string>>, after?: string): Promise<ObjectPage<View>> {
    const { store } = this.#kindIn(namespace);
    return this.#invocation.reads(this.#server, () => {
      const wanted = Object.entries(labels);
      const found = store
        .all()
        .filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value))
        .filter(({ metadata }) => after === undefined || metadata.name > after)
        .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
      const items = found.slice(0, pageSize);
      for (const item of items) this.#read(item);
      const last = items.at(-1);
      const cursor = found.length > pageSize ? last?.metadata.name : undefined;
      return { items, resourceVersion: String(this.#server.version), ...present({ cursor }) };
    });
  }

  async delete(namespace: string, name: string, uid: string): Promise<void> {
    const kind = this.#kindIn(namespace);
    await this.#invocation.writes(this.#server, () => {
      if (kind.store.find(name, uid) !== undefined) this.#deleteByName(kind, name);
    });
  }

  /** Deletes any object of the name: davit never does. */
  async deleteByName(namespace: string, name: string): Promise<void> {
    const kind = this.#kindIn(namespace);
    await this.#invocation.writes(this.#server, () => this.#deleteByName(kind, name));
  }

  async *observe(
    namespace: string,
    name: string,
    { since, forMs, signal }: ObserveOptions,
  ): AsyncIterable<View | undefined> {
    checkTimeout(forMs);
    const { store, saw } = this.#kindIn(namespace);
    const untilEpochMs = this.#invocation.nowEpochMs() + forMs;
    let version = since === undefined ? undefined : Number(since);
    const { faults } = this.#invocation.core;
    const hits = (fault: 'watchGap' | 'watchExpired') => faults.hits(fault, this.#invocation.launchId);
    const isOver = () => signal?.aborted === true || this.#invocation.nowEpochMs() >= untilEpochMs;
    if (version === 0) {
      version = store.changesOf(name).at(-1)?.version ?? version;
      const view = this.#read(store.get(name), saw);
      if (view !== undefined) yield view;
    }
    do {
      if (version === undefined || hits('watchExpired')) {
        const read = () => this.#read(store.get(name), saw);
        const view = await this.#invocation.reads(this.#server, read, patienceMs);
        yield view;
        if (view === undefined) return;
        version = Number(view.metadata.resourceVersion);
      }
      for (;;) {
        const change = store.changesOf(name).find((candidate) => candidate.version > Number(version));
        if (change === undefined) {
          const next = await this.#next(store, name, untilEpochMs, signal);
          if (next === 'changed' && !hits('watchGap')) continue;
          if (next === 'over') return;
          break;
        }
        yield this.#read(change.view, saw);
        if (change.view === undefined) return;
        version = change.version;
      }
      version = undefined;
      await this.#invocation.sleepMs(pauseMs, signal);
    } while (!isOver());
  }

  /** Waits until a watch brings a change, until it ends, or until the time is up. */
  async #next(
    store: Kind<View>['store'],
    name: string,
    untilEpochMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Next> {
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
      const unwatch = store.watch(name, () => {
        if (!isSilent) scheduler.after(random.between(1, 20), () => end('changed'));
      });
      const timer = scheduler.after(Math.min(leftMs, silenceMs), () => end(leftMs <= silenceMs ? 'over' : 'closed'));
      signal?.addEventListener('abort', abort);
    });
  }

  #deleteByName(kind: Kind<View>, name: string): void {
    const found = kind.store.get(name);
    kind.delete(name, found !== undefined && this.#invocation.read.has(found.metadata.uid));
  }

  #read(view: View | undefined, saw?: (view: View) => void): View | undefined {
    if (view === undefined) return undefined;
    saw?.(view);
    this.#invocation.read.set(view.metadata.uid, view.metadata.labels?.[labelKeys.launchId]);
    return view;
  }
}

/** Refuses the same values as AbortSignal.timeout. */
function checkTimeout(ms: number): void {
  if (!Number.isInteger(ms)) throw new RangeError(`a timeout is whole milliseconds, not ${ms}`);
}
