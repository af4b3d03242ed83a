import * as z from 'zod';
import { longestAgentLifetimeSeconds } from './launch-record.ts';
import { Deadlines, Expose, Graces, HostAddress, maxLaunchSeconds } from './launch-state.ts';
import { mostRelaunches } from './names.ts';

const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'expected a DNS label: up to 63 of a-z, 0-9 and -');

/** The name or ARN of a secret in Secrets Manager. */
const SecretId = z.string().min(1).max(2048);

/** Where the API server of an EKS cluster is. */
export const EksServer = z.strictObject({
  endpoint: z
    .string()
    .regex(/^https:\/\/[^\s/?#@]+$/, 'expected an https: URL without a path')
    .describe('The API server’s URL, as `aws eks describe-cluster` has it'),
  certificateAuthority: z
    .string()
    .regex(/^LS0tLS1CRUdJTi[0-9A-Za-z+/]+={0,2}$/, 'expected a PEM certificate in base64')
    .describe('The certificate of the API server’s authority, as `aws eks describe-cluster` has it'),
});
export type EksServer = z.infer<typeof EksServer>;

/**
 * A cluster of Amazon EKS, which davit reaches as the IAM role of its functions. Where the API server is can be given;
 * otherwise it is asked of EKS when it is needed, which a cluster in another account does not allow.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Cluster.html
 */
export const EksAccess = z.strictObject({
  clusterName: z
    .string()
    .regex(/^[0-9A-Za-z][\w-]{0,99}$/, 'expected the name of an EKS cluster: up to 100 letters, digits, - and _')
    .describe('What EKS calls the cluster'),
  region: z
    .string()
    .regex(/^[a-z]{2,}(-[a-z]+)+-\d+$/, 'expected an AWS region such as eu-central-1')
    .exactOptional()
    .describe('Where the cluster is; when not given: where davit is'),
  server: EksServer.exactOptional().describe('Where the API server is; when not given, davit asks EKS'),
});
export type EksAccess = z.infer<typeof EksAccess>;

/** A cluster of any kind, by the kubeconfig in a secret. */
export interface KubeconfigCluster {
  name: string;
  kubeconfigSecret: string;
}

/** A cluster of Amazon EKS, by IAM. */
export interface EksCluster {
  name: string;
  eks: EksAccess;
}

const isOneAccess = 'expected either kubeconfigSecret or eks';

/** A cluster that agents can be launched into. */
export const ClusterConfig = z
  .strictObject({
    name: dnsLabel.describe('What profiles and people call the cluster'),
    kubeconfigSecret: SecretId.optional().describe('Name or ARN of the secret that holds the kubeconfig'),
    eks: EksAccess.optional().describe('The EKS cluster that it is, instead of a kubeconfig'),
  })
  .meta({ oneOf: [{ required: ['kubeconfigSecret'] }, { required: ['eks'] }] })
  .transform(({ name, kubeconfigSecret, eks }, context): KubeconfigCluster | EksCluster => {
    if (kubeconfigSecret !== undefined && eks === undefined) return { name, kubeconfigSecret };
    if (eks !== undefined && kubeconfigSecret === undefined) return { name, eks };
    context.addIssue({ code: 'custom', message: eks === undefined ? isOneAccess : `${isOneAccess}, and not both` });
    return z.NEVER;
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
    .strictObject(
      {
        labels: z.record(z.string(), z.string()).optional(),
        annotations: z.record(z.string(), z.string()).optional(),
      },
      {
        error: ({ code }) =>
          code === 'unrecognized_keys' ? 'expected labels and annotations only (davit sets the rest)' : undefined,
      },
    )
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
  name: dnsLabel.describe('What launches and people call the profile; a label of its Pods'),
  labels: z.array(z.string().min(1)).min(1).describe('A job is taken when this list has all of its labels'),
  clusters: z.array(dnsLabel).min(1).describe('A launch goes to one of them, chosen by its id'),
  namespace: dnsLabel.describe('Where the Pods are made; it has to exist'),
  expose: Expose.default('nodePort').describe(
    'nodePort: the agent is dialled at its node, by a NodePort Service. none: it has no Service, and dials out',
  ),
  hostAddress: HostAddress.default('hostIP').describe(
    'At which address of its node a NodePort agent is dialled. hostIP, hostIPv4, hostIPv6: as its Pod reports it. ' +
      'nodeInternalIP, nodeExternalIP: as the Node has it, which davit then needs the right to get',
  ),
  agentContainer: dnsLabel.default('agent').describe('The container of the template that is the agent'),
  agentPort: z.int().min(1).max(65_535).describe('The port that the agent listens on'),
  tls: z.boolean().default(false).describe('Whether the agent’s port speaks TLS'),
  deadlines: z
    .strictObject(Deadlines.partial().shape)
    .prefault({})
    .transform((given) => Deadlines.parse({ ...defaultDeadlines, ...given }))
    .describe(`Seconds that each wait may take; all together, once and for each relaunch, at most ${maxLaunchSeconds}`),
  maxRelaunches: z
    .int()
    .min(0)
    .max(mostRelaunches)
    .default(2)
    .describe('How often a launch is tried again when infrastructure takes its Pod before the agent has connected'),
  graces: z
    .strictObject(Graces.partial().shape)
    .prefault({})
    .transform((given) => Graces.parse({ ...defaultGraces, ...given }))
    .describe('Seconds that trouble of a Pod which may pass by itself is waited for, from when it was first seen'),
  maxAgentLifetimeSeconds: z
    .int()
    .positive()
    .max(longestAgentLifetimeSeconds)
    .optional()
    .describe('How long an agent may live once it has connected; when not given: 13 days'),
  removeExitedAfterSeconds: z
    .int()
    .positive()
    .max(longestAgentLifetimeSeconds)
    .optional()
    .describe('How long after an agent has exited it is removed, for CI systems that do not say when a job is over'),
  template: PodTemplate.describe('What the Pod is made from: labels, annotations and spec of a PodTemplateSpec'),
});
export type Profile = z.infer<typeof Profile>;

/** A CI system that sends webhooks. */
export const WebhookConfig = z.strictObject({
  provider: z.literal('github'),
  secret: SecretId.describe('Name or ARN of the secret that the provider signs its webhooks with'),
});
export type WebhookConfig = z.infer<typeof WebhookConfig>;

/** davit.yaml, parsed. */
export const Config = z.strictObject({
  clusters: z.array(ClusterConfig).min(1).describe('The clusters that agents are launched into'),
  webhooks: z.array(WebhookConfig).default([]).describe('The CI systems whose webhooks are taken'),
  profiles: z.array(Profile).min(1).describe('The kinds of agents; a job goes to the first that has all its labels'),
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
  quotaSeconds: 600,
  nodePortRangeSeconds: 600,
};

/** The graces of a profile that says nothing, in seconds: a Secret, an image or a CNI may come a little late. */
export const defaultGraces: Graces = { imagePullSeconds: 30, containerSeconds: 30 };
