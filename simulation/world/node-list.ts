import type { NodeView } from '../../core/pod/kubernetes-objects.ts';

/** The addresses of a node. */
export interface NodeAddresses {
  hostIP: string;
  externalIP: string;
}

interface Node {
  view: NodeView;
  addresses: NodeAddresses;
  /** Each takes one of its Pods when the node is removed. */
  removals: (() => void)[];
}

/** The Nodes of a cluster: an autoscaler adds one when a Pod needs it, with addresses that no node had before. */
export class NodeList {
  readonly #cluster: number;
  readonly #nodes = new Map<string, Node>();
  #added = 0;

  /** @param cluster distinguishes the addresses of clusters */
  constructor(cluster: number) {
    this.#cluster = cluster;
  }

  get(name: string): NodeView | undefined {
    return this.#nodes.get(name)?.view;
  }

  /**
   * Binds a Pod to a node, which is added if it does not exist. A new node reports no address before `report`.
   *
   * @param removed takes the Pod when the node is removed
   */
  bind(name: string, removed: () => void): NodeAddresses {
    const node = this.#nodes.get(name) ?? this.#add(name);
    node.removals.push(removed);
    return node.addresses;
  }

  #add(name: string): Node {
    this.#added += 1;
    const [high, low] = [Math.floor(this.#added / 250), (this.#added % 250) + 1];
    const network = 2 * this.#cluster;
    const addresses = { hostIP: `10.${network}.${high}.${low}`, externalIP: `198.${18 + network}.${high}.${low}` };
    const node = { view: { status: { addresses: [] } }, addresses, removals: [] };
    this.#nodes.set(name, node);
    return node;
  }

  report(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    const { hostIP, externalIP } = node.addresses;
    const addresses = [
      { type: 'InternalIP', address: hostIP },
      { type: 'ExternalIP', address: externalIP },
    ];
    this.#nodes.set(name, { ...node, view: { status: { addresses } } });
  }

  /** Removes a node with all of its Pods, unless another node has its name by now. */
  remove(name: string, addresses: NodeAddresses): void {
    const node = this.#nodes.get(name);
    if (node?.addresses !== addresses) return;
    this.#nodes.delete(name);
    for (const removed of node.removals) removed();
  }
}
