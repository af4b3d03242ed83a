import type { ResourceName } from '../cluster-store.ts';
import { dns1123Label, dns1123Subdomain } from './object-name.ts';
import { podStrategy } from './pod-strategy.ts';
import { serviceStrategy } from './service-strategy.ts';
import { finalizerErrors, type Strategy } from './strategy.ts';

/** The rules of kinds whose metadata alone the sandbox checks. */
const plainStrategy: Strategy = {
  nameRule: dns1123Subdomain,
  prepareForCreate: (object) => object,
  prepareForUpdate: (next, previous) => (previous.status === undefined ? next : { ...next, status: previous.status }),
  validate: () => [],
  validateUpdate: finalizerErrors,
};

const namespaceStrategy: Strategy = {
  ...plainStrategy,
  nameRule: dns1123Label,
  prepareForCreate: (namespace) => ({
    ...namespace,
    metadata: {
      ...namespace.metadata,
      labels: { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': namespace.metadata.name },
    },
    // The finalizer keeps the Namespace until the controller has emptied it.
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }),
  prepareForUpdate: (next, previous) => ({ ...next, spec: previous.spec ?? {}, status: previous.status ?? {} }),
};

/** The rules of each resource. */
export const strategies: Record<ResourceName, Strategy> = {
  namespaces: namespaceStrategy,
  nodes: plainStrategy,
  services: serviceStrategy,
  pods: podStrategy,
  events: plainStrategy,
  endpoints: plainStrategy,
  serviceaccounts: plainStrategy,
};
