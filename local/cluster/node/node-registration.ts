import type { KubeObject } from '../cluster-store.ts';
import { kubeTime } from '../store/kube-time.ts';
import { mergeConditions } from './conditions.ts';
import { type NodeDescription, nodeObject, nodeStatus, UNREACHABLE } from './node-object.ts';
import type { NodeStore } from './node-store.ts';
import { readConditions } from './pod-status.ts';

/** A node's place in the API: registered and heard of, or lost. */
export class NodeRegistration {
  readonly #store: NodeStore;
  readonly #description: NodeDescription;
  readonly #nowEpochMs: () => number;
  #isSilent = false;

  constructor(store: NodeStore, nowEpochMs: () => number, description: NodeDescription) {
    this.#store = store;
    this.#description = description;
    this.#nowEpochMs = nowEpochMs;
    this.register();
  }

  /** Whether the node is lost. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Makes the Node known, or known to be well again. */
  register(): void {
    this.#isSilent = false;
    this.#write();
  }

  /** Says what a cluster's controllers say of a node that has not been heard of for long, and of its Pods. */
  fallSilent(): void {
    this.#isSilent = true;
    this.#write();
    for (const pod of this.#store.list('pods').filter((each) => this.#runs(each))) {
      const ready = { type: 'Ready', status: 'False' } as const;
      this.#store.updateStatus('pods', pod, (status) => ({
        ...status,
        phase: 'Unknown',
        conditions: mergeConditions(readConditions(status), [ready], kubeTime(this.#nowEpochMs())),
      }));
    }
  }

  #write(): void {
    const { name, taints } = this.#description;
    const draft = nodeObject({ ...this.#description, taints: this.#isSilent ? [...taints, UNREACHABLE] : taints });
    const present = this.#store.get('nodes', undefined, name);
    const node =
      present === undefined
        ? this.#store.create('nodes', draft)
        : this.#store.update('nodes', { ...present, spec: draft.spec ?? {} });
    this.#store.updateStatus('nodes', node, () => nodeStatus(this.#description, !this.#isSilent, this.#nowEpochMs()));
  }

  #runs(pod: KubeObject): boolean {
    const isOver = ['Succeeded', 'Failed'].includes(String(pod.status?.['phase']));
    return pod.spec?.['nodeName'] === this.#description.name && !isOver;
  }
}
