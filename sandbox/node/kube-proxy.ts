import type { KubeObject, StoreChange } from '../cluster-store.ts';
import { isWaiting } from '../store/owners.ts';
import { EventRecorder } from './event-recorder.ts';
import { type NodePortListener, openNodePort } from './node-port-listener.ts';
import type { NodeStore } from './node-store.ts';
import { backendsOf, readService } from './service-ports.ts';

/** The time between attempts to open a port that another process holds. */
const retryMs = 1000;

/** The node whose ports the proxy opens. */
export interface ProxyOptions {
  nodeName: string;
  hostIP: string;
  nowEpochMs: () => number;
}

/** Keeps every Service's nodePorts open on a node, as long as the Service has them. */
export class KubeProxy {
  readonly #store: NodeStore;
  readonly #options: ProxyOptions;
  readonly #events: EventRecorder;
  readonly #listeners = new Map<number, NodePortListener>();
  /** The closed listeners whose connections can still be open. */
  readonly #closed = new Set<NodePortListener>();
  /** The ports of each Service, by uid. */
  readonly #ports = new Map<string, readonly number[]>();
  readonly #unsubscribe: () => void;

  constructor(store: NodeStore, options: ProxyOptions) {
    this.#store = store;
    this.#options = options;
    this.#events = new EventRecorder(store, { component: 'kube-proxy', host: options.nodeName }, options.nowEpochMs);
    this.#unsubscribe = store.subscribe('services', (change) => this.#reconcile(change));
    for (const object of store.list('services')) this.#reconcile({ type: 'ADDED', object });
  }

  /** Closes every port and every connection. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    const listeners = [...this.#listeners.values(), ...this.#closed];
    await Promise.all(listeners.map(async (listener) => listener.destroy()));
  }

  #reconcile({ type, object }: StoreChange): void {
    const { uid } = object.metadata;
    const wanted = type === 'DELETED' ? [] : nodePorts(object);
    const present = this.#ports.get(uid) ?? [];
    for (const port of present.filter((each) => !wanted.includes(each))) void this.#close(port);
    for (const port of wanted.filter((each) => !present.includes(each))) {
      this.#listeners.set(port, this.#open(object, port));
    }
    if (wanted.length === 0) {
      this.#ports.delete(uid);
    } else {
      this.#ports.set(uid, wanted);
    }
  }

  #open(service: KubeObject, nodePort: number): NodePortListener {
    const { nodeName, hostIP } = this.#options;
    const { namespace, name } = service.metadata;
    return openNodePort({
      address: hostIP,
      port: nodePort,
      retryMs: retryMs,
      backends: () => {
        const present = this.#store.get('services', namespace, name) ?? service;
        // A foreground deletion deletes the Service's EndpointSlices at once, so the proxy accepts no new connections.
        if (isWaiting(present)) return [];
        const spec = readService(present);
        const pods = this.#store.list('pods', namespace);
        const ports = spec.ports.filter((port) => port.nodePort === nodePort);
        return ports.flatMap((port) => backendsOf(spec, port, pods, nodeName));
      },
      onFailure: ({ message }) => {
        const note = { type: 'Warning', reason: 'FailedToOpenNodePort' } as const;
        this.#events.record(service, {
          ...note,
          message: `cannot open port ${nodePort} on node ${nodeName}: ${message}`,
        });
      },
    });
  }

  async #close(port: number): Promise<void> {
    const listener = this.#listeners.get(port);
    if (listener !== undefined) {
      this.#listeners.delete(port);
      this.#closed.add(listener);
      await listener.close();
      this.#closed.delete(listener);
    }
  }
}

function nodePorts(service: KubeObject): number[] {
  const spec = readService(service);
  return spec.ports.flatMap(({ protocol, nodePort }) => (protocol === 'TCP' ? (nodePort ?? []) : []));
}
