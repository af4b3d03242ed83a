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
/** A variable of a container's environment, as its Pod has it. */
export type EnvironmentVariable = z.infer<typeof EnvironmentVariable>;

const objectReference = z.object({ name: z.string().default(''), optional: z.boolean().optional() });

const EnvironmentSource = z.object({
  prefix: z.string().default(''),
  secretRef: objectReference.optional(),
  configMapRef: objectReference.optional(),
});
export type EnvironmentSource = z.infer<typeof EnvironmentSource>;

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
  envFrom: z.array(EnvironmentSource).default([]),
  ports: z.array(z.object({ name: z.string().optional(), containerPort: z.number() })).default([]),
  resources: z.object({ requests: quantities.optional(), limits: quantities.optional() }).default({}),
  restartPolicy: z.string().optional(),
  readinessProbe: Probe.optional(),
  lifecycle: z.object({ preStop: z.object({ exec: execAction.optional() }).optional() }).optional(),
});
/** The part of a container that the sandbox's node uses. */
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
/** The part of a Pod's spec that the sandbox's scheduler and kubelet use. They ignore the rest. */
export type PodSpec = z.infer<typeof PodSpec>;

/** A Pod with a parsed spec and its defaults. */
export interface Pod {
  metadata: ObjectMeta & { namespace: string };
  spec: PodSpec;
  object: KubeObject;
}

/** A parsed Pod, or the flaw that prevents parsing. */
export type PodReading = { pod: Pod; flaw?: never } | { pod?: never; flaw: string };

/** Parses a Pod from a stored object. Null counts as absent, as in the API server's decoder. */
export function readPod(object: KubeObject): PodReading {
  const withoutNulls: unknown = JSON.parse(
    JSON.stringify(object.spec ?? {}),
    (_key, value: unknown) => value ?? undefined,
  );
  const spec = PodSpec.safeParse(withoutNulls);
  if (!spec.success) return { flaw: z.prettifyError(spec.error) };
  const namespace = object.metadata.namespace ?? 'default';
  return { pod: { metadata: { ...object.metadata, namespace }, spec: spec.data, object } };
}

/** Whether an init container is a native sidecar, which starts in order and keeps running. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** Resolves a port's name or number to its number. */
export function portNumber(ports: Container['ports'], reference: number | string): number | undefined {
  return typeof reference === 'number' ? reference : ports.find(({ name }) => name === reference)?.containerPort;
}
