import type { KubeObject } from '../cluster-store.ts';
import { type ServicePort, serviceSpecOf } from './service-strategy.ts';

const withoutNodePort = (port: ServicePort): ServicePort => {
  const { nodePort: _, ...rest } = port;
  return rest;
};

/** Keeps back the nodePorts of new Services for a while, as a slow controller that allocates them would. */
export class LateNodePorts {
  readonly #timers = new Set<NodeJS.Timeout>();

  /**
   * Takes the nodePorts out of a Service and hands them to `publish` when it is time.
   *
   * @param delayMs - how long they are kept back
   * @returns the Service without them
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

  /** Publishes nothing any more. */
  close(): void {
    for (const timer of this.#timers) {
      clearTimeout(timer);
    }
    this.#timers.clear();
  }
}
