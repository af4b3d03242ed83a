import * as z from 'zod';
import type { KubeObject, ResourceName } from '../cluster-store.ts';
import { parseQuantity } from '../node/quantity.ts';
import type { ObjectTable } from './object-table.ts';
import { refused } from './status-error.ts';

const Amounts = z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).default({});
const Quota = z.looseObject({ hard: Amounts });
const Containers = z
  .array(
    z.looseObject({
      name: z.string(),
      resources: z.looseObject({ requests: Amounts, limits: Amounts }).default({ requests: {}, limits: {} }),
    }),
  )
  .default([]);
const PodParts = z.looseObject({ containers: Containers });
const ServiceParts = z.looseObject({
  type: z.string().default('ClusterIP'),
  ports: z.array(z.looseObject({})).default([]),
});

type Usage = Readonly<Record<string, number>>;

/** The compute resources that a quota counts, by its key. @see https://kubernetes.io/docs/concepts/policy/resource-quotas/ */
const compute: Readonly<Record<string, readonly ['requests' | 'limits', string]>> = {
  cpu: ['requests', 'cpu'],
  memory: ['requests', 'memory'],
  'requests.cpu': ['requests', 'cpu'],
  'requests.memory': ['requests', 'memory'],
  'limits.cpu': ['limits', 'cpu'],
  'limits.memory': ['limits', 'memory'],
};

/** Says what an object uses of a quota's keys. A Pod that is over uses nothing. */
function usageOf(resource: ResourceName, { spec, status }: KubeObject): Usage {
  if (resource === 'services') {
    const { type, ports } = ServiceParts.parse(spec ?? {});
    return {
      services: 1,
      'services.nodeports': type === 'NodePort' || type === 'LoadBalancer' ? ports.length : 0,
      'services.loadbalancers': type === 'LoadBalancer' ? 1 : 0,
    };
  }
  if (resource !== 'pods' || ['Succeeded', 'Failed'].includes(String(status?.['phase']))) return {};
  const { containers } = PodParts.parse(spec ?? {});
  const sums = Object.entries(compute).map(([key, [kind, name]]) => {
    const amounts = containers.map(({ resources }) => parseQuantity(resources[kind][name] ?? '0'));
    return [key, amounts.reduce((sum, amount) => sum + amount, 0)] as const;
  });
  return { pods: 1, 'count/pods': 1, ...Object.fromEntries(sums) };
}

/**
 * Refuses an object that exceeds a ResourceQuota of its Namespace.
 *
 * @throws StatusError Forbidden (403), in the words of the ResourceQuota admission plugin
 * @see https://github.com/kubernetes/apiserver/blob/v0.33.6/pkg/admission/plugin/resourcequota/controller.go#L520
 */
export function admitUnderQuotas(objects: ObjectTable, resource: ResourceName, object: KubeObject): void {
  const { name, namespace } = object.metadata;
  const wanted = usageOf(resource, object);
  for (const quota of objects.list('resourcequotas', namespace)) {
    const { hard } = Quota.parse(quota.spec ?? {});
    refuseUnspecified(resource, object, quota.metadata.name, hard);
    const used = usedOf(objects, namespace, Object.keys(hard));
    const exceeded = Object.keys(hard).filter(
      (key) => (wanted[key] ?? 0) > 0 && (used[key] ?? 0) + (wanted[key] ?? 0) > parseQuantity(hard[key] ?? '0'),
    );
    if (exceeded.length > 0) {
      const words = (amounts: Readonly<Record<string, string | number>>) =>
        exceeded.map((key) => `${key}=${amounts[key] ?? 0}`).join(',');
      const cause = `exceeded quota: ${quota.metadata.name}, requested: ${words(wanted)}, used: ${words(used)}, limited: ${words(hard)}`;
      throw refused(resource, name, cause);
    }
  }
}

/** A quota of a compute resource demands that each container says how much it needs. */
function refuseUnspecified(
  resource: ResourceName,
  { metadata, spec }: KubeObject,
  quota: string,
  hard: Readonly<Record<string, string>>,
): void {
  if (resource !== 'pods') return;
  const { containers } = PodParts.parse(spec ?? {});
  const missing = Object.keys(hard).flatMap((key) => {
    const [kind, name] = compute[key] ?? [];
    if (kind === undefined || name === undefined) return [];
    const without = containers.filter(({ resources }) => resources[kind][name] === undefined);
    return without.length === 0 ? [] : [`${key} for: ${without.map((each) => each.name).join(',')}`];
  });
  if (missing.length > 0)
    throw refused(resource, metadata.name, `failed quota: ${quota}: must specify ${missing.join('; ')}`);
}

function usedOf(objects: ObjectTable, namespace: string | undefined, keys: readonly string[]): Usage {
  const usages = (['pods', 'services'] as const).flatMap((resource) =>
    objects.list(resource, namespace).map((object) => usageOf(resource, object)),
  );
  return Object.fromEntries(keys.map((key) => [key, usages.reduce((sum, usage) => sum + (usage[key] ?? 0), 0)]));
}

/** Writes what is used into the status of a quota, as the quota controller does. */
export function withUsage(objects: ObjectTable, quota: KubeObject): KubeObject {
  const { hard } = Quota.parse(quota.spec ?? {});
  const used = usedOf(objects, quota.metadata.namespace, Object.keys(hard));
  const texts = Object.fromEntries(Object.entries(used).map(([key, amount]) => [key, String(amount)]));
  return { ...quota, status: { hard, used: texts } };
}
