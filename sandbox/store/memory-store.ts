import { isDeepStrictEqual } from 'node:util';
import type { ClusterStore, DeleteOptions, KubeObject, ResourceName, StoreChange } from '../cluster-store.ts';
import { admitCreate, admitDelete } from './admission.ts';
import { ChangeLog } from './change-log.ts';
import { checkPreconditions, isFinal, markDeleted } from './deletion.ts';
import { type KubeDraft, newObject, nextObject } from './draft.ts';
import type { FieldError } from './field-error.ts';
import { copyValue } from './json-value.ts';
import { LateNodePorts } from './late-node-ports.ts';
import { metadataErrors } from './metadata.ts';
import { ObjectTable } from './object-table.ts';
import { boundPod } from './pod-binding.ts';
import { admitUnderQuotas, withUsage } from './quota.ts';
import { resources } from './resources.ts';
import { ServiceAllocator } from './service-allocator.ts';
import { alreadyExists, invalidObject, notFound } from './status-error.ts';
import { strategyOf } from './strategies.ts';

/** The settings of a store. */
export interface MemoryStoreOptions {
  /** The nodePorts for Services. @default 30000 to 32767 */
  nodePorts?: Iterable<number>;
  /** The clock. @default Date.now */
  nowEpochMs?: () => number;
}

/** The options of a create. */
export interface CreateOptions {
  /** Whether to check everything but write nothing. @default false */
  dryRun?: boolean;
  /** How long to withhold the nodePorts of a new Service, in milliseconds. @default 0 */
  nodePortDelayMs?: number;
}

/** The options of an update. Without a subresource, it writes everything but the status. */
export interface UpdateOptions {
  subresource?: 'status' | 'finalize';
  /** Whether to check everything but write nothing. @default false */
  dryRun?: boolean;
}

const defaultNodePorts = Array.from({ length: 2768 }, (_, index) => 30_000 + index);
/** How many past changes a watch can replay. */
const watchWindow = 10_000;
const generatedNameAttempts = 8;

/** Keeps a cluster's objects in memory, by the API server's rules. */
export class MemoryStore implements ClusterStore {
  /** Past and new changes, for watches. */
  readonly changes = new ChangeLog(watchWindow);
  /** The objects themselves, for callers that read many and change none. All other methods return copies. */
  readonly objects = new ObjectTable();
  readonly #allocator: ServiceAllocator;
  readonly #lateNodePorts = new LateNodePorts();
  readonly #nowEpochMs: () => number;

  constructor(options: MemoryStoreOptions = {}) {
    this.#allocator = new ServiceAllocator(options.nodePorts ?? defaultNodePorts);
    this.#nowEpochMs = options.nowEpochMs ?? Date.now;
    for (const name of ['default', 'kube-system']) this.create('namespaces', { metadata: { name } });
  }

  /** Cancels the timers that are still running. */
  close(): void {
    this.#lateNodePorts.close();
  }

  get(resource: ResourceName, namespace: string | undefined, name: string): KubeObject | undefined {
    const object = this.objects.get(resource, namespace, name);
    return object === undefined ? undefined : copyValue(object);
  }

  list(resource: ResourceName, namespace?: string): KubeObject[] {
    return copyValue(this.objects.list(resource, namespace));
  }

  /**
   * Lists the objects as they were at a revision.
   *
   * @throws StatusError Expired (410) if the log has dropped later changes.
   */
  listAt(resource: ResourceName, revision: number): KubeObject[] {
    return copyValue(this.objects.listBefore(resource, this.changes.since(revision)));
  }

  create(resource: ResourceName, draft: KubeDraft, options: CreateOptions = {}): KubeObject {
    const object = this.#newObject(resource, draft);
    const strategy = strategyOf(resource);
    const prepared = strategy.prepareForCreate(object);
    admitCreate(this, resource, prepared);
    admitUnderQuotas(this.objects, resource, prepared);
    // The real server takes the ports first, too. So a full range hides all other errors, even that the name is taken.
    const allocated = resource === 'services' ? this.#allocator.allocate(prepared) : prepared;
    const flaws = [...metadataErrors(prepared.metadata, strategy.nameRule), ...strategy.validate(prepared)];
    const { name, namespace } = allocated.metadata;
    const isTaken = this.objects.get(resource, namespace, name) !== undefined;
    if (flaws.length > 0 || isTaken || options.dryRun === true) this.#release(resource, allocated);
    this.#refuse(resource, prepared, flaws);
    if (isTaken) throw alreadyExists(resource, name);
    return copyValue(options.dryRun === true ? allocated : this.#add(resource, allocated, options.nodePortDelayMs));
  }

  /**
   * Replaces the object that has the draft's name.
   *
   * @throws StatusError NotFound (404), Conflict (409) for another uid or an old resourceVersion, Invalid (422).
   */
  update(resource: ResourceName, draft: KubeDraft, options: UpdateOptions = {}): KubeObject {
    const previous = this.#require(resource, draft.metadata.namespace, draft.metadata.name ?? '');
    const next = nextObject(resource, draft, previous);
    const prepared = this.#prepareUpdate(resource, next, previous, options);
    if (options.dryRun === true) return copyValue(prepared);
    const replaced = this.#replace(
      resource,
      resource === 'services' ? this.#allocator.allocate(prepared) : prepared,
      previous,
    );
    if (resource === 'services' && !isFinal(replaced)) this.#allocator.retain(replaced);
    return copyValue(replaced);
  }

  updateStatus(
    resource: ResourceName,
    object: KubeObject,
    change: (status: Record<string, unknown>) => Record<string, unknown>,
  ): KubeObject | undefined {
    const previous = this.#same(resource, object);
    if (previous === undefined) return undefined;
    const status = change(copyValue(previous.status ?? {}));
    return copyValue(this.#replace(resource, { ...previous, status: copyValue(status) }, previous));
  }

  bind(pod: KubeObject, nodeName: string): KubeObject | undefined {
    const previous = this.#same('pods', pod);
    return previous === undefined
      ? undefined
      : copyValue(this.#replace('pods', boundPod(previous, nodeName, this.#nowEpochMs()), previous));
  }

  delete(resource: ResourceName, namespace: string | undefined, name: string, options: DeleteOptions = {}): KubeObject {
    const object = this.#require(resource, namespace, name);
    admitDelete(resource, name);
    checkPreconditions(resource, object, options.preconditions);
    return copyValue(this.#replace(resource, markDeleted(resource, object, options, this.#nowEpochMs()), object));
  }

  subscribe(resource: ResourceName, listener: (change: StoreChange) => void): () => void {
    return this.changes.subscribe((change) => {
      if (change.resource === resource) listener({ type: change.type, object: copyValue(change.object) });
    });
  }

  #newObject(resource: ResourceName, draft: KubeDraft): KubeObject {
    const attempts = (draft.metadata.name ?? '') === '' ? generatedNameAttempts : 1;
    for (let attempt = 1; ; attempt += 1) {
      const object = newObject(resource, copyValue(draft), this.#nowEpochMs());
      const isTaken = this.objects.get(resource, object.metadata.namespace, object.metadata.name) !== undefined;
      if (!isTaken || attempt === attempts) return object;
    }
  }

  #prepareUpdate(resource: ResourceName, next: KubeObject, previous: KubeObject, options: UpdateOptions): KubeObject {
    const { metadata } = next;
    if (options.subresource === 'status') return { ...previous, metadata, status: copyValue(next.status ?? {}) };
    if (options.subresource === 'finalize') return { ...previous, metadata, spec: copyValue(next.spec ?? {}) };
    const strategy = strategyOf(resource);
    const prepared = strategy.prepareForUpdate(copyValue(next), previous);
    this.#refuse(resource, prepared, [
      ...metadataErrors(metadata, strategy.nameRule),
      ...strategy.validate(prepared),
      ...strategy.validateUpdate(prepared, previous),
    ]);
    return prepared;
  }

  #refuse(resource: ResourceName, object: KubeObject, errors: readonly FieldError[]): void {
    if (errors.length > 0) throw invalidObject(resources[resource].kind, object.metadata.name, errors);
  }

  #require(resource: ResourceName, namespace: string | undefined, name: string): KubeObject {
    const object = this.objects.get(resource, namespace, name);
    if (object === undefined) throw notFound(resource, name);
    return object;
  }

  /** Returns the present state of the object with the same uid. */
  #same(resource: ResourceName, object: KubeObject): KubeObject | undefined {
    const present = this.objects.get(resource, object.metadata.namespace, object.metadata.name);
    return present?.metadata.uid === object.metadata.uid ? present : undefined;
  }

  #release(resource: ResourceName, object: KubeObject): void {
    if (resource === 'services') this.#allocator.release(object);
  }

  #add(resource: ResourceName, object: KubeObject, nodePortDelayMs = 0): KubeObject {
    const isLate = resource === 'services' && nodePortDelayMs > 0;
    const published = isLate ? this.#withholdNodePorts(object, nodePortDelayMs) : object;
    const added = this.#stamp(published);
    this.objects.set(resource, added);
    this.changes.append({ type: 'ADDED', resource, revision: Number(added.metadata.resourceVersion), object: added });
    if (resource === 'namespaces') {
      this.create('serviceaccounts', { metadata: { name: 'default', namespace: added.metadata.name } });
    }
    this.#countUsage(resource, added);
    return added;
  }

  #withholdNodePorts(service: KubeObject, delayMs: number): KubeObject {
    return this.#lateNodePorts.hold(service, delayMs, (ports) => {
      const present = this.#same('services', service);
      if (present !== undefined) this.#replace('services', { ...present, spec: { ...present.spec, ports } }, present);
    });
  }

  /** Writes `next`, or removes the object if its deletion is final. Writes nothing if nothing changes. */
  #replace(resource: ResourceName, next: KubeObject, previous: KubeObject): KubeObject {
    if (isDeepStrictEqual(next, previous)) return previous;
    const object = this.#stamp(next);
    const type = isFinal(object) ? 'DELETED' : 'MODIFIED';
    if (type === 'DELETED') {
      this.objects.remove(resource, object);
      this.#release(resource, object);
    } else {
      this.objects.set(resource, object);
    }
    this.changes.append({ type, resource, revision: Number(object.metadata.resourceVersion), object, previous });
    this.#countUsage(resource, object);
    return object;
  }

  /** Brings the quotas of an object's Namespace up to date. */
  #countUsage(resource: ResourceName, { metadata }: KubeObject): void {
    if (!['pods', 'services', 'resourcequotas'].includes(resource)) return;
    for (const quota of this.objects.list('resourcequotas', metadata.namespace)) {
      this.#replace('resourcequotas', withUsage(this.objects, quota), quota);
    }
  }

  #stamp(object: KubeObject): KubeObject {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.changes.revision + 1) } };
  }
}
