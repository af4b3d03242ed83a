import * as z from 'zod';
import type { KubeObject, ObjectMeta } from '../cluster-store.ts';
import { isQuantity } from './quantity.ts';

const quantities = z.record(z.string(), z.union([z.string(), z.number()]).refine(isQuantity, 'no quantity'));

const keyReference = z.object({ name: z.string().optional(), key: z.string(), optional: z.boolean().optional() });

const EnvironmentVariable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .object({
      fieldRef: z.object({ fieldPath: z.string() }).optional(),
      secretKeyRef: keyReference.optional(),
      configMapKeyRef: keyReference.optional(),
    })
    .optional(),
});
export type EnvironmentVariable = z.infer<typeof EnvironmentVariable>;

const portReference = z.union([z.number(), z.string()]);
const execAction = z.object({ command: z.array(z.string()).min(1) });

const Probe = z.object({
  exec: execAction.optional(),
  tcpSocket: z.object({ port: portReference, host: z.string().optional() }).optional(),
  httpGet: z.object({ port: portReference, path: z.string().default('/'), host: z.string().optional() }).optional(),
  initialDelaySeconds: z.number().default(0),
  periodSeconds: z.number().default(10),
  timeoutSeconds: z.number().default(1),
  successThreshold: z.number().default(1),
  failureThreshold: z.number().default(3),
});
/** A readiness probe, with the API server's defaults filled in. */
export type Probe = z.infer<typeof Probe>;

const Container = z.object({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
  command: z.array(z.string()).default([]),
  args: z.array(z.string()).default([]),
  env: z.array(EnvironmentVariable).default([]),
  ports: z.array(z.object({ name: z.string().optional(), containerPort: z.number() })).default([]),
  resources: z.object({ requests: quantities.optional(), limits: quantities.optional() }).default({}),
  restartPolicy: z.string().optional(),
  readinessProbe: Probe.optional(),
  lifecycle: z.object({ preStop: z.object({ exec: execAction.optional() }).optional() }).optional(),
});
/** One container of a Pod, as far as a node of the sandbox heeds it. */
export type Container = z.infer<typeof Container>;

const requirement = z.object({ key: z.string(), operator: z.string(), values: z.array(z.string()).default([]) });
/** One `matchExpressions` entry of a node affinity. */
export type NodeSelectorRequirement = z.infer<typeof requirement>;

const PodSpec = z.object({
  nodeName: z.string().optional(),
  nodeSelector: z.record(z.string(), z.string()).default({}),
  schedulingGates: z.array(z.object({ name: z.string() })).default([]),
  tolerations: z
    .array(
      z.object({
        key: z.string().optional(),
        operator: z.string().default('Equal'),
        value: z.string().optional(),
        effect: z.string().optional(),
      }),
    )
    .default([]),
  affinity: z
    .object({
      nodeAffinity: z
        .object({
          requiredDuringSchedulingIgnoredDuringExecution: z
            .object({ nodeSelectorTerms: z.array(z.object({ matchExpressions: z.array(requirement).default([]) })) })
            .optional(),
        })
        .optional(),
    })
    .optional(),
  restartPolicy: z.enum(['Always', 'OnFailure', 'Never']).default('Always'),
  terminationGracePeriodSeconds: z.number().default(30),
  activeDeadlineSeconds: z.number().optional(),
  hostNetwork: z.boolean().default(false),
  readinessGates: z.array(z.object({ conditionType: z.string() })).default([]),
  initContainers: z.array(Container).default([]),
  containers: z.array(Container).min(1),
});
/** The part of a Pod's spec that a scheduler and a kubelet of the sandbox heed; the rest is kept, and ignored. */
export type PodSpec = z.infer<typeof PodSpec>;

/** A Pod with its spec read and its defaults filled in. */
export interface Pod {
  metadata: ObjectMeta & { namespace: string };
  spec: PodSpec;
  /** The object as the store has it. */
  object: KubeObject;
}

/** A Pod that was read, or what is wrong with it. */
export type PodReading = { pod: Pod; flaw?: never } | { pod?: never; flaw: string };

/** Reads a Pod out of the store's object; null counts as absent, as it does to the API server's decoder. */
export function readPod(object: KubeObject): PodReading {
  const withoutNulls: unknown = JSON.parse(
    JSON.stringify(object.spec ?? {}),
    (_key, value: unknown) => value ?? undefined,
  );
  const spec = PodSpec.safeParse(withoutNulls);
  if (!spec.success) {
    return { flaw: z.prettifyError(spec.error) };
  }
  const namespace = object.metadata.namespace ?? 'default';
  return { pod: { metadata: { ...object.metadata, namespace }, spec: spec.data, object } };
}

/** Whether an init container is a native sidecar: started in its turn, and kept. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** Finds the number of a port that is named or numbered. */
export function portNumber(ports: Container['ports'], reference: number | string): number | undefined {
  return typeof reference === 'number' ? reference : ports.find(({ name }) => name === reference)?.containerPort;
}
