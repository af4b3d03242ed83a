import * as z from '../zod.ts';

const metadata = z.object({
  name: z.string(),
  namespace: z.string(),
  uid: z.string().check(z.minLength(1)),
  resourceVersion: z.string().check(z.minLength(1)),
  labels: z.optional(z.record(z.string(), z.string())),
  annotations: z.optional(z.record(z.string(), z.string())),
  ownerReferences: z.optional(z.array(z.object({ uid: z.string() }))),
  creationTimestamp: z.optional(z.string()),
  deletionTimestamp: z.optional(z.string()),
});

/** The fields of a Service that davit reads. @see https://kubernetes.io/docs/reference/kubernetes-api/service-resources/service-v1/ */
export const ServiceView = z.object({
  metadata,
  spec: z.object({ ports: z.optional(z.array(z.object({ port: z.int(), nodePort: z.optional(z.int()) }))) }),
});
export type ServiceView = z.infer<typeof ServiceView>;

const TerminatedView = z.object({
  exitCode: z.int(),
  reason: z.optional(z.string()),
  message: z.optional(z.string()),
  signal: z.optional(z.int()),
  startedAt: z.nullish(z.string()),
});

/** The fields of a container's status that davit reads. */
export const ContainerStatusView = z.object({
  name: z.string(),
  image: z.optional(z.string()),
  state: z.optional(
    z.object({
      waiting: z.optional(z.object({ reason: z.optional(z.string()), message: z.optional(z.string()) })),
      running: z.optional(z.object({ startedAt: z.optional(z.string()) })),
      terminated: z.optional(TerminatedView),
    }),
  ),
  lastState: z.optional(z.object({ terminated: z.optional(TerminatedView) })),
  restartCount: z.optional(z.int()),
});
export type ContainerStatusView = z.infer<typeof ContainerStatusView>;

const ContainerView = z.object({
  name: z.string(),
  image: z.optional(z.string()),
  imagePullPolicy: z.optional(z.string()),
  restartPolicy: z.optional(z.string()),
  env: z.optional(z.array(z.object({ name: z.string() }))),
  resources: z.optional(z.object({ limits: z.optional(z.object({ memory: z.optional(z.string()) })) })),
});
export type ContainerView = z.infer<typeof ContainerView>;

/** The fields of a Pod that davit reads. @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
export const PodView = z.object({
  metadata,
  spec: z.object({
    nodeName: z.optional(z.string()),
    containers: z.array(ContainerView),
    initContainers: z.optional(z.array(ContainerView)),
    schedulingGates: z.optional(z.array(z.object({ name: z.string() }))),
    activeDeadlineSeconds: z.optional(z.int()),
  }),
  status: z.optional(
    z.object({
      /** Any text: virtual kubelets have words of their own. */
      phase: z.optional(z.string()),
      reason: z.optional(z.string()),
      message: z.optional(z.string()),
      hostIP: z.optional(z.string()),
      /** All addresses of a node with several IP families. */
      hostIPs: z.optional(z.array(z.object({ ip: z.optional(z.string()) }))),
      podIP: z.optional(z.string()),
      conditions: z.optional(
        z.array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.optional(z.string()),
            message: z.optional(z.string()),
            lastTransitionTime: z.nullish(z.string()),
          }),
        ),
      ),
      containerStatuses: z.optional(z.array(ContainerStatusView)),
      initContainerStatuses: z.optional(z.array(ContainerStatusView)),
    }),
  ),
});
export type PodView = z.infer<typeof PodView>;

/** The fields of a Node that davit reads. @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/ */
export const NodeView = z.object({
  status: z.optional(z.object({ addresses: z.optional(z.array(z.object({ type: z.string(), address: z.string() }))) })),
});
export type NodeView = z.infer<typeof NodeView>;

/** The fields of an Event that davit reads. @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export const EventView = z.object({
  type: z.optional(z.string()),
  reason: z.optional(z.string()),
  message: z.optional(z.string()),
  involvedObject: z.object({
    uid: z.optional(z.string()),
    /** Present for an Event about one container: `spec.containers{agent}`. */
    fieldPath: z.optional(z.string()),
  }),
  /** Null where `series` counts instead. */
  count: z.nullish(z.int()),
  series: z.nullish(z.object({ count: z.optional(z.int()), lastObservedTime: z.optional(z.string()) })),
  firstTimestamp: z.nullish(z.string()),
  lastTimestamp: z.nullish(z.string()),
  eventTime: z.nullish(z.string()),
});
export type EventView = z.infer<typeof EventView>;
