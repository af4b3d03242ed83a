import * as z from 'zod';

const metadata = z.object({
  name: z.string(),
  namespace: z.string(),
  uid: z.string().min(1),
  resourceVersion: z.string().min(1),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  ownerReferences: z.array(z.object({ uid: z.string() })).optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
});

/** What davit reads of a Service. @see https://kubernetes.io/docs/reference/kubernetes-api/service-resources/service-v1/ */
export const ServiceView = z.object({
  metadata,
  spec: z.object({ ports: z.array(z.object({ port: z.int(), nodePort: z.int().optional() })).optional() }),
});
export type ServiceView = z.infer<typeof ServiceView>;

const TerminatedView = z.object({
  exitCode: z.int(),
  reason: z.string().optional(),
  message: z.string().optional(),
  signal: z.int().optional(),
});

/** What davit reads of a container's status. */
export const ContainerStatusView = z.object({
  name: z.string(),
  image: z.string().optional(),
  state: z
    .object({
      waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
      running: z.object({ startedAt: z.string().optional() }).optional(),
      terminated: TerminatedView.optional(),
    })
    .optional(),
  lastState: z.object({ terminated: TerminatedView.optional() }).optional(),
  restartCount: z.int().optional(),
});
export type ContainerStatusView = z.infer<typeof ContainerStatusView>;

const ContainerView = z.object({
  name: z.string(),
  image: z.string().optional(),
  imagePullPolicy: z.string().optional(),
  restartPolicy: z.string().optional(),
  env: z.array(z.object({ name: z.string() })).optional(),
  resources: z.object({ limits: z.object({ memory: z.string().optional() }).optional() }).optional(),
});
export type ContainerView = z.infer<typeof ContainerView>;

/** What davit reads of a Pod. @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
export const PodView = z.object({
  metadata,
  spec: z.object({
    nodeName: z.string().optional(),
    containers: z.array(ContainerView),
    initContainers: z.array(ContainerView).optional(),
    schedulingGates: z.array(z.object({ name: z.string() })).optional(),
    activeDeadlineSeconds: z.int().optional(),
  }),
  status: z
    .object({
      /** Any text: virtual kubelets have words of their own. */
      phase: z.string().optional(),
      reason: z.string().optional(),
      message: z.string().optional(),
      hostIP: z.string().optional(),
      /** All of them, the node being one of several families. */
      hostIPs: z.array(z.object({ ip: z.string().optional() })).optional(),
      podIP: z.string().optional(),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().optional(),
            message: z.string().optional(),
          }),
        )
        .optional(),
      containerStatuses: z.array(ContainerStatusView).optional(),
      initContainerStatuses: z.array(ContainerStatusView).optional(),
    })
    .optional(),
});
export type PodView = z.infer<typeof PodView>;

/** What davit reads of a Node. @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/ */
export const NodeView = z.object({
  metadata: z.object({ name: z.string() }),
  status: z.object({ addresses: z.array(z.object({ type: z.string(), address: z.string() })).optional() }).optional(),
});
export type NodeView = z.infer<typeof NodeView>;

/** What davit reads of an Event. @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export const EventView = z.object({
  type: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  involvedObject: z.object({ uid: z.string().optional() }),
  /** Null where `series` counts instead. */
  count: z.int().nullish(),
  series: z.object({ count: z.int().optional(), lastObservedTime: z.string().optional() }).nullish(),
  firstTimestamp: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
});
export type EventView = z.infer<typeof EventView>;
