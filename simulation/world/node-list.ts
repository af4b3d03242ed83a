import type { NodeView } from '../../functions/domain/kubernetes-objects.ts';

/** The addresses of a node. */
export interface NodeAddresses {
  hostIP: string;
  externalIP: string;
}

/** The Nodes of a cluster: an autoscaler adds one when a Pod needs it, with addresses that no node had before. */
export class NodeList {
  readonly #cluster: number;
  readonly #nodes = new Map<string, { view: NodeView; addresses: NodeAddresses }>();
  #added = 0;

  /** @param cluster distinguishes the addresses of clusters */
  constructor(cluster: number) {
    this.#cluster = cluster;
  }

  get(name: string): NodeView | undefined {
    return this.#nodes.get(name)?.view;
  }

  /** Adds a node unless it exists; it reports no address before `report`. */
  addIfAbsent(name: string): NodeAddresses {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known.addresses;
    this.#added += 1;
    const [high, low] = [Math.floor(this.#added / 250), (this.#added % 250) + 1];
    const network = 2 * this.#cluster;
    const addresses = { hostIP: `10.${network}.${high}.${low}`, externalIP: `198.${18 + network}.${high}.${low}` };
    this.#nodes.set(name, { view: { status: { addresses: [] } }, addresses });
    return addresses;
  }

  /** Makes the node report its addresses. */
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

  remove(name: string): void {
    this.#nodes.delete(name);
  }
}
