import { type DavitError, TerminalError, TransientError } from '../../core/errors/errors.ts';
import type { Core } from './core.ts';

/** The faults that only a create sees: reads, watches and deletions go on. Each lasts for minutes. */
const faults = {
  admissionDown: new TransientError('AdmissionUnavailable', 'failed calling webhook "policy.example": timed out'),
  namespaceMissing: new TerminalError('NamespaceMissing', 'unable to create: because it is being terminated'),
  createForbidden: new TerminalError('ClusterForbidden', 'pods is forbidden: User "davit" cannot create pods'),
} as const satisfies Record<string, DavitError>;
type CreateFault = keyof typeof faults;

const shortestMs = 60_000;
const longestMs = 25 * 60_000;

/** The creates in the namespaces of one cluster, and their outages: one of each kind in each namespace at most. */
export class CreateOutages {
  readonly #core: Core;
  readonly #cluster: string;
  readonly #onBegin: () => void;
  readonly #past = new Set<string>();
  readonly #present = new Map<string, CreateFault>();

  constructor(core: Core, cluster: string, onBegin: () => void) {
    this.#core = core;
    this.#cluster = cluster;
    this.#onBegin = onBegin;
  }

  get isOneOn(): boolean {
    return this.#present.size > 0;
  }

  /** Decides whether a create in a namespace fails. An outage begins with the first create that fails. */
  refusal(namespace: string): DavitError | undefined {
    const present = this.#present.get(namespace) ?? this.#begun(namespace);
    return present === undefined ? undefined : faults[present];
  }

  end(): void {
    for (const namespace of this.#present.keys()) this.#end(namespace);
  }

  #begun(namespace: string): CreateFault | undefined {
    const { faults: hits, random, scheduler, history } = this.#core;
    for (const fault of ['admissionDown', 'namespaceMissing', 'createForbidden'] as const) {
      const key = `${fault} ${namespace}`;
      if (this.#past.has(key) || !hits.hits(fault, undefined)) continue;
      this.#past.add(key);
      this.#present.set(namespace, fault);
      history.add({ kind: 'creates', cluster: this.#cluster, namespace, work: false });
      scheduler.after(random.between(shortestMs, longestMs), () => this.#end(namespace));
      this.#onBegin();
      return fault;
    }
    return undefined;
  }

  #end(namespace: string): void {
    if (!this.#present.delete(namespace)) return;
    this.#core.history.add({ kind: 'creates', cluster: this.#cluster, namespace, work: true });
  }
}
