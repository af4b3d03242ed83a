import * as z from 'zod';
import { PendingError } from '../../core/errors/errors.ts';
import { labelKeys } from '../../core/launch/names.ts';
import type { PodView, ServiceView } from '../../core/pod/kubernetes-objects.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import { present } from '../../core/present.ts';
import type { ApiServer } from './api-server.ts';
import type { Core } from './core.ts';
import type { Actor, ObjectKind } from './history.ts';
import { type ClusterObject, ObjectStore } from './object-store.ts';
import { PodEvents } from './pod-events.ts';
import { agentPort } from './profiles.ts';

const ContainerSpec = z.object({
  name: z.string().default('agent'),
  image: z.string().default('registry.example/agent:1'),
  restartPolicy: z.string().exactOptional(),
});
const PodSpec = z.object({
  containers: z.array(ContainerSpec),
  initContainers: z.array(ContainerSpec).exactOptional(),
});

/** The callbacks of a namespace to its node. */
export interface NodeWork {
  /** A new Pod must be scheduled and run. */
  podCreated(pod: PodView, manifest: Manifest): void;
  /** A Pod must end; the node then removes it. */
  podDeleting(pod: PodView): void;
  /** A Pod is gone, with all of its processes. */
  podGone(pod: PodView): void;
}

/** Whether an object's dependents go before or after it. */
type Propagation = 'foreground' | 'background';

/** One namespace of a cluster: names, nodePorts, owners, and deletion in the foreground. */
export class SimulatedNamespace {
  readonly server: ApiServer;
  readonly services: ObjectStore<ServiceView>;
  readonly pods: ObjectStore<PodView>;
  readonly events: PodEvents;
  /** The output of the agents' containers, by the Pod's name. */
  readonly logs = new Map<string, string>();
  readonly #core: Core;
  /** The uids of Services that a finalizer holds. */
  readonly #held = new Set<string>();
  #node: NodeWork | undefined;

  constructor(core: Core, server: ApiServer) {
    this.#core = core;
    this.server = server;
    this.events = new PodEvents(core.scheduler.nowEpochMs);
    this.services = new ObjectStore(server.nextVersion);
    this.pods = new ObjectStore(server.nextVersion);
  }

  join(node: NodeWork): void {
    this.#node = node;
  }

  /** @returns undefined when the name is taken @throws PendingError QuotaExceeded, NodePortRangeFull */
  createService(manifest: Manifest, by: Actor): ServiceView | undefined {
    const launchId = manifest.metadata.labels[labelKeys.launchId];
    const { faults } = this.#core;
    // Like the real server, reports a full range before a name that is taken.
    if (by === 'davit' && faults.hits('portRangeFull', launchId)) {
      throw new PendingError('NodePortRangeFull', 'failed to allocate a nodePort: range is full');
    }
    if (this.services.get(manifest.metadata.name) !== undefined) return undefined;
    if (by === 'davit') this.#checkQuota(launchId);
    const service = this.services.put({
      metadata: this.#metadataOf(manifest, 'service'),
      spec: { ports: [{ port: agentPort }] },
    });
    this.#noteCreation('Service', service, by);
    if (faults.hits('portMissing', launchId)) return service;
    if (!faults.hits('portLate', launchId)) return this.#allocatePort(service) ?? service;
    this.#core.later(500, 25_000, () => this.#allocatePort(service));
    return service;
  }

  /** @returns undefined when the name is taken @throws PendingError QuotaExceeded */
  createPod(manifest: Manifest, by: Actor): PodView | undefined {
    if (this.pods.get(manifest.metadata.name) !== undefined) return undefined;
    if (by === 'davit') this.#checkQuota(manifest.metadata.labels[labelKeys.launchId]);
    const pod = this.pods.put({
      metadata: this.#metadataOf(manifest, 'pod'),
      spec: PodSpec.parse(manifest.spec),
      status: { phase: 'Pending' },
    });
    this.#noteCreation('Pod', pod, by, cpuOf(manifest));
    this.#node?.podCreated(pod, manifest);
    if (this.#ownerOf(pod) !== undefined) this.#collectLater(pod);
    return pod;
  }

  /**
   * Marks a Service as being deleted: it stays until its Pods are gone, and longer if a finalizer holds it.
   *
   * @param propagation `background`, as kubectl does: the Service goes at once, and its Pods after it
   */
  deleteService(name: string, by: Actor, wasRead: boolean, propagation: Propagation = 'foreground'): void {
    const service = this.services.get(name);
    if (service === undefined || service.metadata.deletionTimestamp !== undefined) return;
    this.#core.history.add({ kind: 'deleted', ...idOf('Service', service), by, wasRead });
    const pods = this.#podsOf(service);
    if (propagation === 'background') this.#removeService(service);
    else this.services.put({ ...service, metadata: this.#deleting(service) });
    for (const pod of pods) this.#collectLater(pod);
    this.#removeServiceWhenFree(service);
  }

  /** Marks a Pod as being deleted: its node removes it after its grace period. */
  deletePod(name: string, by: Actor, wasRead: boolean): void {
    const pod = this.pods.get(name);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    this.#core.history.add({ kind: 'deleted', ...idOf('Pod', pod), by, wasRead });
    this.#node?.podDeleting(this.pods.put({ ...pod, metadata: this.#deleting(pod) }));
  }

  /** Removes a Pod, at the end of its grace period or by force. */
  removePod(name: string, uid: string): void {
    const pod = this.pods.find(name, uid);
    if (pod === undefined) return;
    this.pods.remove(name);
    this.#node?.podGone(pod);
    this.#core.history.add({ kind: 'gone', ...idOf('Pod', pod) });
    for (const service of this.services.all()) this.#removeServiceWhenFree(service);
  }

  #checkQuota(launchId: string | undefined): void {
    if (!this.#core.faults.hits('quotaFull', launchId)) return;
    throw new PendingError('QuotaExceeded', 'exceeded quota: agents, requested: pods=1, used: pods=9, limited: pods=9');
  }

  #metadataOf(manifest: Manifest, kind: string): ClusterObject['metadata'] {
    const { name, namespace, labels, annotations, ownerReferences } = manifest.metadata;
    const uid = this.server.newUid(kind);
    const creationTimestamp = new Date(this.#core.scheduler.nowEpochMs()).toISOString();
    const owners = ownerReferences ? { ownerReferences } : {};
    return { name, namespace, labels, annotations, uid, resourceVersion: '0', creationTimestamp, ...owners };
  }

  #deleting({ metadata }: ClusterObject): ClusterObject['metadata'] {
    return { ...metadata, deletionTimestamp: new Date(this.#core.scheduler.nowEpochMs()).toISOString() };
  }

  #noteCreation(object: ObjectKind, view: ClusterObject, by: Actor, cpu?: string): void {
    const ownerUid = view.metadata.ownerReferences?.[0]?.uid;
    const { name } = view.metadata;
    this.#core.history.add({ kind: 'created', ...idOf(object, view), by, name, ownerUid, ...present({ cpu }) });
  }

  #allocatePort({ metadata: { name, uid } }: ServiceView): ServiceView | undefined {
    const service = this.services.find(name, uid);
    if (service === undefined) return undefined;
    const nodePort = this.server.newPort();
    this.#core.history.add({ kind: 'portAllocated', uid, port: nodePort });
    return this.services.put({ ...service, spec: { ports: [{ port: agentPort, nodePort }] } });
  }

  #ownerOf(pod: PodView): string | undefined {
    return pod.metadata.ownerReferences?.[0]?.uid;
  }

  #podsOf({ metadata: { uid } }: ServiceView): PodView[] {
    return this.pods.all().filter((pod) => this.#ownerOf(pod) === uid);
  }

  /** The garbage collector checks a Pod after a while, and deletes it if its owner is being deleted or gone. */
  #collectLater({ metadata: { name, uid } }: PodView): void {
    this.#core.later(100, 5000, () => {
      const pod = this.pods.find(name, uid);
      if (pod === undefined) return;
      const ownerUid = this.#ownerOf(pod);
      const owner = this.services.all().find(({ metadata }) => metadata.uid === ownerUid);
      if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) {
        this.deletePod(name, 'the cluster', true);
      }
    });
  }

  #removeServiceWhenFree(service: ServiceView): void {
    const { uid } = service.metadata;
    const current = this.services.find(service.metadata.name, uid);
    if (current?.metadata.deletionTimestamp === undefined || this.#podsOf(current).length > 0) return;
    if (this.#held.has(uid)) return;
    if (!this.#core.faults.hits('serviceOutlives', idOf('Service', service).launchId))
      return this.#removeService(current);
    this.#held.add(uid);
    this.#core.later(5000, 200_000, () => this.#removeService(current));
  }

  #removeService(service: ServiceView): void {
    const { name, uid } = service.metadata;
    if (this.services.find(name, uid) === undefined) return;
    this.services.remove(name);
    this.#core.history.add({ kind: 'gone', ...idOf('Service', service) });
  }
}

function idOf(object: ObjectKind, { metadata: { uid, labels } }: ClusterObject) {
  return { object, uid, launchId: labels?.[labelKeys.launchId] };
}

const Resources = z.object({ limits: z.object({ cpu: z.optional(z.string()) }) });
const SizedSpec = z.object({
  containers: z.array(z.object({ name: z.optional(z.string()), resources: z.optional(Resources) })),
});

function cpuOf({ spec }: Manifest): string | undefined {
  const { containers } = SizedSpec.parse(spec);
  return containers.find(({ name }) => name === 'agent')?.resources?.limits.cpu;
}
