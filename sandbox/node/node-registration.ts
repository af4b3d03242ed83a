import type { KubeObject } from '../cluster-store.ts';
import { kubeTime } from '../store/kube-time.ts';
import { mergeConditions } from './conditions.ts';
import { type NodeDescription, nodeObject, nodeStatus, unreachable } from './node-object.ts';
import type { NodeStore } from './node-store.ts';
import { readConditions } from './pod-status.ts';

/** A node's registration in the API: ready, or lost. */
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

  /** Registers the Node, or reports it as ready again. */
  register(): void {
    this.#isSilent = false;
    this.#write();
  }

  /** Marks the node and its Pods as a cluster's controllers mark a node that they no longer hear from. */
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
    const draft = nodeObject({ ...this.#description, taints: this.#isSilent ? [...taints, unreachable] : taints });
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
