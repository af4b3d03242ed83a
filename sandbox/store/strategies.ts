import * as z from 'zod';
import type { KubeObject, ResourceName } from '../cluster-store.ts';
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

const Texts = z.record(z.string(), z.string()).default({});

/** Moves `stringData` into `data`, in base64. */
function encoded({ stringData, ...secret }: KubeObject): KubeObject {
  const added = Object.entries(Texts.parse(stringData)).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  return { type: 'Opaque', ...secret, data: { ...Texts.parse(secret['data']), ...Object.fromEntries(added) } };
}

const secretStrategy: Strategy = {
  ...plainStrategy,
  prepareForCreate: encoded,
  prepareForUpdate: (next) => encoded(next),
};

const ownStrategies: Readonly<Partial<Record<ResourceName, Strategy>>> = {
  namespaces: namespaceStrategy,
  services: serviceStrategy,
  pods: podStrategy,
  secrets: secretStrategy,
};

/** The rules of a resource. */
export function strategyOf(resource: ResourceName): Strategy {
  return ownStrategies[resource] ?? plainStrategy;
}
