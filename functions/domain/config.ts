import * as z from 'zod';
import { Deadlines, Expose } from './launch-state.ts';

const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'expected a DNS label: up to 63 of a-z, 0-9 and -');

/** The name or ARN of a secret in Secrets Manager. */
const SecretId = z.string().min(1).max(2048).describe('Name or ARN of a secret in AWS Secrets Manager');

/** A cluster that agents can be launched into. */
export const ClusterConfig = z.strictObject({
  name: dnsLabel,
  kubeconfigSecret: SecretId,
});
export type ClusterConfig = z.infer<typeof ClusterConfig>;

/**
 * A fragment of a PodTemplateSpec. Its fields are Kubernetes' own and are checked against Kubernetes' schema where
 * davit.yaml is read, not here.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/#PodTemplateSpec
 */
export const PodTemplate = z.strictObject({
  metadata: z
    .strictObject({
      labels: z.record(z.string(), z.string()).optional(),
      annotations: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  spec: z.looseObject({
    containers: z
      .array(
        z.looseObject({
          name: dnsLabel,
          image: z.string().min(1),
          env: z.array(z.looseObject({ name: z.string() })).optional(),
        }),
      )
      .min(1),
  }),
});
export type PodTemplate = z.infer<typeof PodTemplate>;

/** What one kind of agent is: which jobs it takes, where it runs, and how long each wait may take. */
export const Profile = z.strictObject({
  name: dnsLabel,
  labels: z.array(z.string().min(1)).min(1).describe('A job is taken when this list has all of its labels'),
  clusters: z.array(dnsLabel).min(1).describe('A launch goes to one of them, chosen by its id'),
  namespace: dnsLabel,
  expose: Expose.default('nodePort'),
  agentContainer: dnsLabel.default('agent').describe('The container of the template that is the agent'),
  agentPort: z.int().min(1).max(65_535).describe('The port that the agent listens on'),
  tls: z.boolean().default(false).describe('Whether the agent’s port speaks TLS'),
  deadlines: Deadlines.partial()
    .prefault({})
    .transform((given) => Deadlines.parse({ ...defaultDeadlines, ...given }))
    .describe('Seconds that each wait may take'),
  imagePullGraceSeconds: z.int().positive().max(3600).default(30),
  template: PodTemplate,
});
export type Profile = z.infer<typeof Profile>;

/** A CI system that sends webhooks. */
export const WebhookConfig = z.strictObject({
  provider: z.literal('github'),
  secret: SecretId,
});
export type WebhookConfig = z.infer<typeof WebhookConfig>;

/** davit.yaml, parsed. */
export const Config = z.strictObject({
  clusters: z.array(ClusterConfig).min(1),
  webhooks: z.array(WebhookConfig).default([]),
  profiles: z.array(Profile).min(1),
});
export type Config = z.infer<typeof Config>;

/** The deadlines of a profile that says nothing, in seconds. Placement leaves an autoscaler time to add a node. */
export const defaultDeadlines: Deadlines = {
  serviceSeconds: 600,
  nodePortSeconds: 60,
  podSeconds: 600,
  placementSeconds: 900,
  publishSeconds: 60,
  connectSeconds: 600,
};
