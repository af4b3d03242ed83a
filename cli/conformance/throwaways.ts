import { randomBytes } from 'node:crypto';
import { ApiException } from '@kubernetes/client-node';
import { isNotFound, unless } from '../../adapters/kubernetes/object-port.ts';
import { resourceCalls } from '../../adapters/kubernetes/resource-calls.ts';
import { answerOf } from '../../adapters/kubernetes/to-davit-error.ts';
import { sendAsItIs, wireObject } from '../../adapters/kubernetes/wire-object.ts';
import { PodView, ServiceView } from '../../core/pod/kubernetes-objects.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import { wordsOf } from '../words-of.ts';
import { conformanceLabel, type PodChanges, podManifest, type ServiceChanges, serviceManifest } from './manifests.ts';
import type { TestedCluster } from './tested-cluster.ts';
import { until } from './until.ts';

const dryRun = { body: {}, dryRun: 'All' };

/** An object by its kind, in the plural, and its name. */
interface Throwaway {
  kind: 'pods' | 'services';
  name: string;
}

/** An object that could not be removed, and why. */
export interface LeftBehind extends Throwaway {
  words: string;
}

/**
 * The objects that one check makes. Each has a name that no other object has, and a label of this check alone. None has
 * the label by which davit knows its own objects, so no sweep of davit's touches them.
 */
export class Throwaways {
  /** The value of the label `davit.dev/conformance`. */
  readonly label = randomBytes(6).toString('hex');
  readonly #cluster: TestedCluster;
  readonly #mayExist = new Map<string, Throwaway>();
  #created = 0;

  constructor(cluster: TestedCluster) {
    this.#cluster = cluster;
  }

  /** How many objects the cluster has created. */
  get created(): number {
    return this.#created;
  }

  /** Returns a name that no object has. */
  newName(): string {
    return `davit-conformance-${randomBytes(6).toString('hex')}`;
  }

  /** Creates a Pod. @throws ApiException, and what fetch throws */
  async pod(changes: PodChanges = {}): Promise<PodView> {
    return PodView.parse(wireObject(await this.#create('pods', this.#podOf(changes))));
  }

  /** Asks for a Pod as a dry run. @throws ApiException, and what fetch throws */
  dryPod(changes: PodChanges = {}): Promise<unknown> {
    const { connection, namespace } = this.#cluster;
    return connection.core.createNamespacedPod({ namespace, ...dryRun }, sendAsItIs(this.#podOf(changes)));
  }

  /** Creates a NodePort Service that selects no Pod. @throws ApiException, and what fetch throws */
  async service(changes: ServiceChanges = {}): Promise<ServiceView> {
    return ServiceView.parse(wireObject(await this.#create('services', this.#serviceOf(changes))));
  }

  /** Asks for a Service as a dry run. @throws ApiException, and what fetch throws */
  dryService(changes: ServiceChanges): Promise<unknown> {
    const { connection, namespace } = this.#cluster;
    return connection.core.createNamespacedService({ namespace, ...dryRun }, sendAsItIs(this.#serviceOf(changes)));
  }

  /** Reads a Pod; undefined when there is none. @throws ApiException, and what fetch throws */
  async findPod(name: string): Promise<PodView | undefined> {
    const pod = await this.#find({ kind: 'pods', name });
    return pod === undefined ? undefined : PodView.parse(pod);
  }

  /** Reads a Service; undefined when there is none. @throws ApiException, and what fetch throws */
  async findService(name: string): Promise<ServiceView | undefined> {
    const service = await this.#find({ kind: 'services', name });
    return service === undefined ? undefined : ServiceView.parse(service);
  }

  /** Removes all objects, Pods first, because a Service may wait for the Pod that it owns. @returns those that stay */
  async removeAll(): Promise<LeftBehind[]> {
    const all = [...this.#mayExist.values()];
    const left: LeftBehind[] = [];
    for (const kind of ['pods', 'services'] as const) {
      const removals = all.filter((each) => each.kind === kind).map((each) => this.#remove(each));
      left.push(...(await Promise.all(removals)).filter((each) => each !== undefined));
    }
    return left;
  }

  #podOf(changes: PodChanges): Manifest {
    return podManifest({ ...this.#cluster, label: this.label, name: this.newName(), ...changes });
  }

  #serviceOf(changes: ServiceChanges): Manifest {
    return serviceManifest({ ...this.#cluster, label: this.label, name: this.newName(), ...changes });
  }

  /** Notes the name first: after a lost answer, the object may exist. */
  async #create(kind: Throwaway['kind'], manifest: { metadata: { name: string } }): Promise<object> {
    const { name } = manifest.metadata;
    const key = `${kind}/${name}`;
    const isNew = !this.#mayExist.has(key);
    this.#mayExist.set(key, { kind, name });
    try {
      const object = await resourceCalls[kind].create(this.#cluster.connection.core, this.#cluster.namespace, manifest);
      this.#created += 1;
      return object;
    } catch (error) {
      if (isNew && error instanceof ApiException && error.code < 500) this.#mayExist.delete(key);
      throw error;
    }
  }

  async #find({ kind, name }: Throwaway): Promise<unknown> {
    const { connection, namespace } = this.#cluster;
    const object = await unless(isNotFound, resourceCalls[kind].read(connection.core, namespace, name));
    return object && wireObject(object);
  }

  /** Ends without the person's Ctrl-C, which is what it often follows. */
  async #remove(throwaway: Throwaway): Promise<LeftBehind | undefined> {
    let words = 'it is deleted, and still there';
    const waiting = { waitMs: this.#cluster.waitMs, signal: new AbortController().signal };
    const ended = await until(waiting, async () => {
      try {
        return (await this.#removeOnce(throwaway)) ? ('gone' as const) : undefined;
      } catch (error) {
        words = error instanceof ApiException ? answerOf(error).message : wordsOf(error);
        return isFinal(error) ? ('refused' as const) : undefined;
      }
    });
    return ended === 'gone' ? undefined : { ...throwaway, words };
  }

  /** Deletes the object with the label and the uid that it has read. @returns whether it is gone */
  async #removeOnce(throwaway: Throwaway): Promise<boolean> {
    const { kind, name } = throwaway;
    const { connection, namespace } = this.#cluster;
    const found = await this.#find(throwaway);
    if (found === undefined) return true;
    const { labels, uid } = (kind === 'pods' ? PodView : ServiceView).parse(found).metadata;
    if (labels?.[conformanceLabel] !== this.label) return true;
    const request = {
      namespace,
      name,
      body: { preconditions: { uid }, gracePeriodSeconds: 0, propagationPolicy: 'Background' },
    };
    const { core } = connection;
    const deletion: Promise<unknown> =
      kind === 'pods' ? core.deleteNamespacedPod(request) : core.deleteNamespacedService(request);
    await unless(isNotFound, deletion);
    return (await this.#find(throwaway)) === undefined;
  }
}

/** A refusal that a repetition does not change. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiException && error.code < 500 && error.code !== 409 && error.code !== 429;
}
