import type { ObjectPort } from '../../ports/cluster.ts';
import type { TestDeps } from './make-test-deps.ts';

/** Replaces some of a port's methods. The port may be of a class, with private fields. */
export function portWith<Port extends object>(port: Port, overrides: Partial<NoInfer<Port>>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name);
      const own: unknown = Reflect.get(target, name);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}

/** Dependencies with some methods of the cluster replaced, for every kind of object. */
export function withCluster(deps: TestDeps, overrides: Partial<ObjectPort<never>>): TestDeps {
  const { cluster } = deps;
  return {
    ...deps,
    openCluster: async () => ({
      services: portWith(cluster.services, overrides),
      pods: portWith(cluster.pods, overrides),
      nodes: cluster.nodes,
      reports: cluster.reports,
    }),
  };
}

/** Makes a port whose calls go through a function, which makes each, or does not. @param isMeant by the method @default all */
export function callsThrough<Port extends object>(
  port: Port,
  pass: (call: () => Promise<unknown>) => Promise<unknown>,
  isMeant: (method: string) => boolean = () => true,
): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const call = (...given: unknown[]): unknown => Reflect.apply(method, target, given);
      return isMeant(String(name)) ? (...given: unknown[]) => pass(async () => call(...given)) : call;
    },
  });
}
