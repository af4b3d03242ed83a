import type { KubeObject } from '../cluster-store.ts';
import { type ServicePort, serviceSpecOf } from './service-strategy.ts';

function withoutNodePort(port: ServicePort): ServicePort {
  const { nodePort: _, ...rest } = port;
  return rest;
}

/** Withholds the nodePorts of new Services for a while, as a slow controller does. */
export class LateNodePorts {
  readonly #timers = new Set<NodeJS.Timeout>();

  /**
   * Removes the nodePorts from a Service and passes them to `publish` after a delay.
   *
   * @param delayMs how long to withhold them, in milliseconds
   * @returns the Service without nodePorts
   */
  hold(service: KubeObject, delayMs: number, publish: (ports: ServicePort[]) => void): KubeObject {
    const spec = serviceSpecOf(service);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      publish(spec.ports);
    }, delayMs);
    this.#timers.add(timer);
    return { ...service, spec: { ...spec, ports: spec.ports.map(withoutNodePort) } };
  }

  /** Cancels everything that is not published yet. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
