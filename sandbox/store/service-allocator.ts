import { isIP } from 'node:net';
import type { KubeObject } from '../cluster-store.ts';
import { invalid } from './field-error.ts';
import { hasNodePorts, type ServicePort, type ServiceSpec, serviceSpecOf } from './service-strategy.ts';
import { internalError, invalidObject } from './status-error.ts';

const clusterIpPrefix = '10.96';
const notInRange = 'the provided network does not match the current range';

/**
 * Allocates cluster IPs and nodePorts to Services. Each belongs to one Service at a time.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport
 */
export class ServiceAllocator {
  readonly #pool: ReadonlySet<number>;
  readonly #portOwners = new Map<number, string>();
  readonly #ipOwners = new Map<string, string>();

  /** @param nodePorts the ports to allocate from */
  constructor(nodePorts: Iterable<number>) {
    this.#pool = new Set(nodePorts);
  }

  /**
   * Allocates what a Service needs and does not have. The Service keeps it until `retain` or `release` frees it.
   *
   * @throws StatusError Invalid (422) for a port or address that another Service has or that is out of range.
   * InternalError (500) if none is left. After an error the Service has no more than before.
   */
  allocate(service: KubeObject): KubeObject {
    const spec = serviceSpecOf(service);
    const before = [...this.#portOwners, ...this.#ipOwners].filter(([, owner]) => owner === service.metadata.uid);
    try {
      const addressed = this.#withClusterIp(service, spec);
      const ports = hasNodePorts(spec)
        ? spec.ports.map((port, index) => this.#withNodePort(service, port, index))
        : spec.ports;
      return { ...service, spec: { ...addressed, ports } };
    } catch (error) {
      this.#keepOnly(service.metadata.uid, new Set(before.map(([key]) => key)));
      throw error;
    }
  }

  /** Frees what a Service no longer names. */
  retain(service: KubeObject): void {
    const spec = serviceSpecOf(service);
    this.#keepOnly(service.metadata.uid, new Set([spec.clusterIP, ...spec.ports.map((port) => port.nodePort)]));
  }

  /** Frees everything that a Service has. */
  release(service: KubeObject): void {
    this.#keepOnly(service.metadata.uid, new Set());
  }

  #keepOnly(uid: string, kept: ReadonlySet<number | string | undefined>): void {
    for (const owners of [this.#portOwners, this.#ipOwners] as Map<number | string, string>[]) {
      for (const [key, owner] of owners) {
        if (owner === uid && !kept.has(key)) owners.delete(key);
      }
    }
  }

  #withNodePort(service: KubeObject, port: ServicePort, index: number): ServicePort {
    // A client written in Go sends zero for "none".
    const nodePort = port.nodePort === undefined || port.nodePort === 0 ? this.#anyPort() : port.nodePort;
    const owner = this.#portOwners.get(nodePort);
    const flaw = this.#pool.has(nodePort)
      ? owner !== undefined && owner !== service.metadata.uid && 'provided port is already allocated'
      : `provided port is not in the valid range. The range of valid ports is ${this.#range()}`;
    if (flaw !== false) {
      const field = `spec.ports[${index}].nodePort`;
      throw invalidObject('Service', service.metadata.name, [invalid(field, nodePort, flaw)]);
    }
    this.#portOwners.set(nodePort, service.metadata.uid);
    return { ...port, nodePort };
  }

  #anyPort(): number {
    const free = [...this.#pool].filter((port) => !this.#portOwners.has(port));
    const port = free[Math.floor(Math.random() * free.length)];
    if (port === undefined) throw internalError('failed to allocate a nodePort: range is full');
    return port;
  }

  #range(): string {
    return `${Math.min(...this.#pool)}-${Math.max(...this.#pool)}`;
  }

  #withClusterIp(service: KubeObject, spec: ServiceSpec): ServiceSpec {
    if (spec.type === 'ExternalName') return spec;
    if (spec.clusterIP === 'None') return { ...spec, clusterIPs: ['None'] };
    const clusterIP = spec.clusterIP === undefined || spec.clusterIP === '' ? this.#anyClusterIp() : spec.clusterIP;
    if (isIP(clusterIP) === 0) {
      const flaw = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
      throw invalidObject('Service', service.metadata.name, [invalid('spec.clusterIPs[0]', clusterIP, flaw)]);
    }
    const owner = this.#ipOwners.get(clusterIP);
    const isInRange = clusterIP.startsWith(`${clusterIpPrefix}.`);
    if (!isInRange || (owner !== undefined && owner !== service.metadata.uid)) {
      const why = isInRange ? 'provided IP is already allocated' : notInRange;
      const flaw = `failed to allocate IP ${clusterIP}: ${why}`;
      throw invalidObject('Service', service.metadata.name, [invalid('spec.clusterIPs', [clusterIP], flaw)]);
    }
    this.#ipOwners.set(clusterIP, service.metadata.uid);
    return { ...spec, clusterIP, clusterIPs: [clusterIP] };
  }

  #anyClusterIp(): string {
    let clusterIp: string;
    do {
      const [third = 0, fourth = 0] = crypto.getRandomValues(new Uint8Array(2));
      clusterIp = `${clusterIpPrefix}.${third}.${1 + (fourth % 254)}`;
    } while (this.#ipOwners.has(clusterIp));
    return clusterIp;
  }
}
