import * as z from 'zod';
import { isQuantity } from '../node/quantity.ts';

const ResourceAmounts = z.record(
  z.string(),
  z.union([z.string(), z.number().transform(String)]).refine(isQuantity, {
    error: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  }),
);

const Container = z.looseObject({
  name: z.string().default(''),
  image: z.string().default(''),
  imagePullPolicy: z.string().exactOptional(),
  command: z.array(z.string()).exactOptional(),
  args: z.array(z.string()).exactOptional(),
  env: z.array(z.looseObject({ name: z.string().default('') })).exactOptional(),
  ports: z
    .array(
      z.looseObject({
        name: z.string().exactOptional(),
        containerPort: z.int().default(0),
        protocol: z.string().default('TCP'),
      }),
    )
    .exactOptional(),
  resources: z
    .looseObject({ requests: ResourceAmounts.exactOptional(), limits: ResourceAmounts.exactOptional() })
    .default({}),
  terminationMessagePath: z.string().default('/dev/termination-log'),
  terminationMessagePolicy: z.string().default('File'),
});

/** A container as the API server reads it. */
export type Container = z.infer<typeof Container>;

const Toleration = z.looseObject({ key: z.string().exactOptional(), effect: z.string().exactOptional() });

/** A Pod's spec as the API server reads it, with the defaults that depend on no other field. */
export const PodSpec = z.looseObject({
  containers: z.array(Container).default([]),
  initContainers: z.array(Container).exactOptional(),
  nodeName: z.string().exactOptional(),
  schedulingGates: z.array(z.looseObject({ name: z.string().default('') })).exactOptional(),
  nodeSelector: z.record(z.string(), z.string()).exactOptional(),
  restartPolicy: z.string().default('Always'),
  dnsPolicy: z.string().default('ClusterFirst'),
  schedulerName: z.string().default('default-scheduler'),
  securityContext: z.looseObject({}).default({}),
  terminationGracePeriodSeconds: z.int().default(30),
  activeDeadlineSeconds: z.int().exactOptional(),
  enableServiceLinks: z.boolean().default(true),
  serviceAccountName: z.string().default('default'),
  priority: z.int().default(0),
  preemptionPolicy: z.string().default('PreemptLowerPriority'),
  tolerations: z.array(Toleration).default([]),
  volumes: z.array(z.looseObject({ name: z.string().default('') })).exactOptional(),
});

/** @see PodSpec */
export type PodSpec = z.infer<typeof PodSpec>;

/** Returns the image's tag: `latest` without a tag or digest, undefined with a digest. */
function imageTag(image: string): string | undefined {
  if (image.includes('@')) return undefined;
  // A colon before the last slash belongs to the registry's port.
  const [, tag = 'latest'] = (image.split('/').at(-1) ?? '').split(':');
  return tag;
}

function withPullPolicy(container: Container): Container {
  return {
    ...container,
    imagePullPolicy: container.imagePullPolicy ?? (imageTag(container.image) === 'latest' ? 'Always' : 'IfNotPresent'),
  };
}

/** Adds what the DefaultTolerationSeconds admission plugin adds: a Pod tolerates an unreachable node for 5 minutes. */
function withTolerations(spec: PodSpec): PodSpec['tolerations'] {
  return [
    ...spec.tolerations,
    ...['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']
      .filter((key) => !spec.tolerations.some((toleration) => toleration.key === key || toleration.key === undefined))
      .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })),
  ];
}

/** Adds the defaults that depend on other fields. */
export function completePodSpec(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map(withPullPolicy),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withPullPolicy) }),
    serviceAccount: spec.serviceAccountName,
    tolerations: withTolerations(spec),
  };
}

/**
 * Computes the class by which a node under pressure chooses which Pods to evict.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
export function qosClass(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const resources = spec.containers.map((container) => container.resources);
  const amounts = resources.flatMap(({ requests = {}, limits = {} }) => [
    requests['cpu'],
    requests['memory'],
    limits['cpu'],
    limits['memory'],
  ]);
  if (amounts.every((amount) => amount === undefined)) return 'BestEffort';
  const guaranteed = resources.every(({ requests = {}, limits = {} }) =>
    ['cpu', 'memory'].every((name) => limits[name] !== undefined && (requests[name] ?? limits[name]) === limits[name]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
