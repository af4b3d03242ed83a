import * as z from '../zod.ts';
import { longestAgentLifetimeSeconds } from './launch-record.ts';
import { Deadlines, Expose, Graces, HostAddress, maxLaunchSeconds } from './launch-state.ts';
import { mostRelaunches } from './names.ts';

const dnsLabel = z
  .string()
  .check(z.regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'expected a DNS label: up to 63 of a-z, 0-9 and -'));

/** The name or ARN of a secret in Secrets Manager. */
const SecretId = z.string().check(z.minLength(1), z.maxLength(2048));

/** Where the API server of an EKS cluster is. */
export const EksServer = z.strictObject({
  endpoint: z
    .string()
    .check(
      z.regex(/^https:\/\/[^\s/?#@]+$/, 'expected an https: URL without a path'),
      z.describe("The API server's URL, as `aws eks describe-cluster` has it"),
    ),
  certificateAuthority: z
    .string()
    .check(
      z.regex(/^LS0tLS1CRUdJTi[0-9A-Za-z+/]+={0,2}$/, 'expected a PEM certificate in base64'),
      z.describe("The certificate of the API server's authority, as `aws eks describe-cluster` has it"),
    ),
});
export type EksServer = z.infer<typeof EksServer>;

/**
 * A cluster of Amazon EKS, which davit reaches as the IAM role of its functions. davit asks EKS for the
 * API server's address, unless the config has it. A cluster in another account needs it in the config.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Cluster.html
 */
export const EksAccess = z.strictObject({
  clusterName: z
    .string()
    .check(
      z.regex(/^[0-9A-Za-z][\w-]{0,99}$/, 'expected the name of an EKS cluster: up to 100 letters, digits, - and _'),
      z.describe("The cluster's name in EKS"),
    ),
  region: z
    .exactOptional(
      z.string().check(z.regex(/^[a-z]{2,}(-[a-z]+)+-\d+$/, 'expected an AWS region such as eu-central-1')),
    )
    .check(z.describe("The cluster's region. Default: davit's own region")),
  server: z.exactOptional(EksServer).check(z.describe("The API server's address. Default: davit asks EKS")),
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
export const ClusterConfig = z.pipe(
  z
    .strictObject({
      name: dnsLabel.check(z.describe("The cluster's name in profiles and messages")),
      kubeconfigSecret: z.optional(SecretId).check(z.describe('Name or ARN of the secret that holds the kubeconfig')),
      eks: z.optional(EksAccess).check(z.describe('The EKS cluster, instead of a kubeconfig')),
    })
    .check(z.meta({ oneOf: [{ required: ['kubeconfigSecret'] }, { required: ['eks'] }] })),
  z.transform((input, context): KubeconfigCluster | EksCluster => {
    const { name, kubeconfigSecret, eks } = input;
    if (kubeconfigSecret !== undefined && eks === undefined) return { name, kubeconfigSecret };
    if (eks !== undefined && kubeconfigSecret === undefined) return { name, eks };
    const message = eks === undefined ? isOneAccess : `${isOneAccess}, and not both`;
    context.issues.push({ code: 'custom', message, input });
    return z.NEVER;
  }),
);
export type ClusterConfig = z.infer<typeof ClusterConfig>;

/**
 * A fragment of a PodTemplateSpec. Its fields are Kubernetes' own and are checked against Kubernetes' schema where
 * davit.yaml is read, not here.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-template-v1/#PodTemplateSpec
 */
export const PodTemplate = z.strictObject({
  metadata: z.optional(
    z.strictObject(
      {
        labels: z.optional(z.record(z.string(), z.string())),
        annotations: z.optional(z.record(z.string(), z.string())),
      },
      {
        error: ({ code }) =>
          code === 'unrecognized_keys' ? 'expected labels and annotations only (davit sets the rest)' : undefined,
      },
    ),
  ),
  spec: z.looseObject({
    containers: z
      .array(
        z.looseObject({
          name: dnsLabel,
          image: z.string().check(z.minLength(1)),
          env: z.optional(z.array(z.looseObject({ name: z.string() }))),
        }),
      )
      .check(z.minLength(1)),
  }),
});
export type PodTemplate = z.infer<typeof PodTemplate>;

/** One kind of agent: which jobs it takes, where it runs, and how long each wait may take. */
export const Profile = z.strictObject({
  name: dnsLabel.check(z.describe("The profile's name in launches and messages, and in a label of its Pods")),
  labels: z
    .array(z.string().check(z.minLength(1)))
    .check(z.minLength(1), z.describe("The profile takes a job if this list has all of the job's labels")),
  clusters: z
    .array(dnsLabel)
    .check(z.minLength(1), z.describe('A launch goes to one of these clusters, chosen by the launch id')),
  namespace: dnsLabel.check(z.describe('The namespace of the Pods. It must exist')),
  expose: z
    .withDefault(Expose, 'nodePort')
    .check(
      z.describe(
        'nodePort: clients reach the agent at its node, through a NodePort Service. none: the agent has no Service, and dials out',
      ),
    ),
  hostAddress: z
    .withDefault(HostAddress, 'hostIP')
    .check(
      z.describe(
        "The node's address at which clients reach a NodePort agent. hostIP, hostIPv4, hostIPv6: from the Pod's status. " +
          'nodeInternalIP, nodeExternalIP: from the Node, which davit then needs permission to get',
      ),
    ),
  agentContainer: z
    .withDefault(dnsLabel, 'agent')
    .check(z.describe("The name of the agent's container in the template")),
  agentPort: z.int().check(z.gte(1), z.lte(65_535), z.describe('The port that the agent listens on')),
  tls: z.withDefault(z.boolean(), false).check(z.describe("Whether the agent's port speaks TLS")),
  deadlines: z
    .pipe(
      z.prefault(z.strictObject(z.partial(Deadlines).shape), {}),
      z.transform((given) => Deadlines.parse({ ...defaultDeadlines, ...given })),
    )
    .check(
      z.describe(
        `The longest that each wait may take, in seconds. Their sum, once and for each relaunch, is at most ${maxLaunchSeconds}`,
      ),
    ),
  maxRelaunches: z
    .withDefault(z.int().check(z.gte(0), z.lte(mostRelaunches)), 2)
    .check(z.describe('How often davit relaunches when infrastructure takes the Pod before the agent has connected')),
  graces: z
    .pipe(
      z.prefault(z.strictObject(z.partial(Graces).shape), {}),
      z.transform((given) => Graces.parse({ ...defaultGraces, ...given })),
    )
    .check(
      z.describe(
        "How long a Pod's trouble may last if it can pass by itself, in seconds from when davit first sees it",
      ),
    ),
  maxAgentLifetimeSeconds: z
    .optional(z.int().check(z.positive(), z.lte(longestAgentLifetimeSeconds)))
    .check(z.describe('How long an agent may live after it has connected. Default: 13 days')),
  removeExitedAfterSeconds: z
    .optional(z.int().check(z.positive(), z.lte(longestAgentLifetimeSeconds)))
    .check(
      z.describe('How long after an agent exits davit removes it, for CI systems that do not report the end of a job'),
    ),
  template: PodTemplate.check(z.describe('The template of the Pod: labels, annotations and spec of a PodTemplateSpec')),
});
export type Profile = z.infer<typeof Profile>;

/** A CI system that sends webhooks. */
export const WebhookConfig = z.strictObject({
  provider: z.literal('github'),
  secret: SecretId.check(z.describe('Name or ARN of the secret with which the provider signs its webhooks')),
});
export type WebhookConfig = z.infer<typeof WebhookConfig>;

/** davit.yaml, parsed. */
export const Config = z.strictObject({
  clusters: z.array(ClusterConfig).check(z.minLength(1), z.describe('The clusters that agents are launched into')),
  webhooks: z.withDefault(z.array(WebhookConfig), []).check(z.describe('The CI systems whose webhooks davit accepts')),
  profiles: z
    .array(Profile)
    .check(
      z.minLength(1),
      z.describe("The kinds of agents. A job goes to the first profile that has all of the job's labels"),
    ),
});
export type Config = z.infer<typeof Config>;

/** The default deadlines of a profile, in seconds. Placement leaves an autoscaler time to add a node. */
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

/** The default graces of a profile, in seconds: a Secret, an image or a CNI may come a little late. */
export const defaultGraces: Graces = { imagePullSeconds: 30, containerSeconds: 30 };
