import { type NodeView, PodView, ServiceView } from '../../core/pod/kubernetes-objects.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { MemoryObjects } from './memory-objects.ts';
import { MemoryReports } from './memory-reports.ts';
import type { TestClock } from './test-clock.ts';

/**
 * A cluster in memory, with exactly the rules of davit's port. It runs nothing: a test reports what a kubelet would.
 */
export class MemoryCluster implements Cluster {
  readonly services: MemoryObjects<ServiceView>;
  readonly pods: MemoryObjects<PodView>;
  readonly reports = new MemoryReports();
  /** The addresses of each Node, by its name. */
  readonly addresses = new Map<string, { type: string; address: string }[]>();
  readonly nodes = {
    get: async (name: string): Promise<NodeView | undefined> => {
      const addresses = this.addresses.get(name);
      return addresses && { status: { addresses } };
    },
  };
  /** Each effective write, in order: `create Pod x`, `delete Pod x <uid>`. */
  readonly writes: string[] = [];
  /** Each accepted manifest, in order. */
  readonly manifests: Manifest[] = [];
  /** How long a deleted Pod stays. */
  terminationMs = 0;
  /** Whether a Service gets its nodePort with its creation. */
  allocatesNodePorts = true;
  /** Whether a Service that is being deleted outlives its Pods, as one with a finalizer does. */
  holdsServices = false;

  constructor(clock: TestClock) {
    let version = 0;
    const shared = {
      clock,
      nextVersion: () => (version += 1),
      onWrite: (what: string) => void this.writes.push(what),
    };
    this.services = new MemoryObjects<ServiceView>({
      ...shared,
      kind: 'Service',
      accept: (manifest, metadata) => this.#acceptService(manifest, metadata),
      onDeleting: ({ metadata: { uid } }) => {
        for (const pod of this.#podsOf(uid)) this.pods.markDeleting(pod.metadata.name);
        this.#collect();
      },
    });
    this.pods = new MemoryObjects<PodView>({
      ...shared,
      kind: 'Pod',
      accept: (manifest, metadata) => {
        this.manifests.push(manifest);
        return PodView.parse({ metadata, spec: manifest.spec, status: { phase: 'Pending' } });
      },
      onDeleting: ({ metadata: { name } }) => {
        if (this.terminationMs === 0) this.#end(name);
        else clock.after(this.terminationMs, () => this.#end(name));
      },
    });
  }

  /** Gives a Service its missing nodePort. */
  allocateNodePort(name: string, nodePort: number): void {
    this.services.change(name, (view) => ({
      ...view,
      spec: { ports: (view.spec.ports ?? []).map((port) => ({ ...port, nodePort })) },
    }));
  }

  /** Sets a Pod's status, as its kubelet does. */
  report(name: string, status: NonNullable<PodView['status']>, nodeName = 'node-1'): void {
    this.pods.change(name, (view) => ({ ...view, spec: { ...view.spec, nodeName }, status }));
  }

  #acceptService(manifest: Manifest, metadata: ServiceView['metadata']): ServiceView {
    this.manifests.push(manifest);
    const view = ServiceView.parse({ metadata, spec: manifest.spec });
    if (!this.allocatesNodePorts) return view;
    const nodePort = 30_000 + this.services.all().length;
    return { ...view, spec: { ports: (view.spec.ports ?? []).map((port) => ({ ...port, nodePort })) } };
  }

  #end(podName: string): void {
    this.pods.remove(podName);
    this.#collect();
  }

  /** A Service that is being deleted stays until its dependents are gone. */
  #collect(): void {
    for (const { metadata } of this.services.all()) {
      const isHeld = this.holdsServices || this.#podsOf(metadata.uid).length > 0;
      if (metadata.deletionTimestamp !== undefined && !isHeld) this.services.remove(metadata.name);
    }
  }

  #podsOf(serviceUid: string): PodView[] {
    return this.pods.all().filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === serviceUid));
  }
}
