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
      z.describe('The API server’s URL, as `aws eks describe-cluster` has it'),
    ),
  certificateAuthority: z
    .string()
    .check(
      z.regex(/^LS0tLS1CRUdJTi[0-9A-Za-z+/]+={0,2}$/, 'expected a PEM certificate in base64'),
      z.describe('The certificate of the API server’s authority, as `aws eks describe-cluster` has it'),
    ),
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
    .check(
      z.regex(/^[0-9A-Za-z][\w-]{0,99}$/, 'expected the name of an EKS cluster: up to 100 letters, digits, - and _'),
      z.describe('What EKS calls the cluster'),
    ),
  region: z
    .exactOptional(
      z.string().check(z.regex(/^[a-z]{2,}(-[a-z]+)+-\d+$/, 'expected an AWS region such as eu-central-1')),
    )
    .check(z.describe('Where the cluster is; when not given: where davit is')),
  server: z.exactOptional(EksServer).check(z.describe('Where the API server is; when not given, davit asks EKS')),
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
      name: dnsLabel.check(z.describe('What profiles and people call the cluster')),
      kubeconfigSecret: z.optional(SecretId).check(z.describe('Name or ARN of the secret that holds the kubeconfig')),
      eks: z.optional(EksAccess).check(z.describe('The EKS cluster that it is, instead of a kubeconfig')),
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

/** What one kind of agent is: which jobs it takes, where it runs, and how long each wait may take. */
export const Profile = z.strictObject({
  name: dnsLabel.check(z.describe('What launches and people call the profile; a label of its Pods')),
  labels: z
    .array(z.string().check(z.minLength(1)))
    .check(z.minLength(1), z.describe('A job is taken when this list has all of its labels')),
  clusters: z.array(dnsLabel).check(z.minLength(1), z.describe('A launch goes to one of them, chosen by its id')),
  namespace: dnsLabel.check(z.describe('Where the Pods are made; it has to exist')),
  expose: z
    .withDefault(Expose, 'nodePort')
    .check(
      z.describe(
        'nodePort: the agent is dialled at its node, by a NodePort Service. none: it has no Service, and dials out',
      ),
    ),
  hostAddress: z
    .withDefault(HostAddress, 'hostIP')
    .check(
      z.describe(
        'At which address of its node a NodePort agent is dialled. hostIP, hostIPv4, hostIPv6: as its Pod reports it. ' +
          'nodeInternalIP, nodeExternalIP: as the Node has it, which davit then needs the right to get',
      ),
    ),
  agentContainer: z.withDefault(dnsLabel, 'agent').check(z.describe('The container of the template that is the agent')),
  agentPort: z.int().check(z.gte(1), z.lte(65_535), z.describe('The port that the agent listens on')),
  tls: z.withDefault(z.boolean(), false).check(z.describe('Whether the agent’s port speaks TLS')),
  deadlines: z
    .pipe(
      z.prefault(z.strictObject(z.partial(Deadlines).shape), {}),
      z.transform((given) => Deadlines.parse({ ...defaultDeadlines, ...given })),
    )
    .check(
      z.describe(
        `Seconds that each wait may take; all together, once and for each relaunch, at most ${maxLaunchSeconds}`,
      ),
    ),
  maxRelaunches: z
    .withDefault(z.int().check(z.gte(0), z.lte(mostRelaunches)), 2)
    .check(
      z.describe('How often a launch is tried again when infrastructure takes its Pod before the agent has connected'),
    ),
  graces: z
    .pipe(
      z.prefault(z.strictObject(z.partial(Graces).shape), {}),
      z.transform((given) => Graces.parse({ ...defaultGraces, ...given })),
    )
    .check(
      z.describe('Seconds that trouble of a Pod which may pass by itself is waited for, from when it was first seen'),
    ),
  maxAgentLifetimeSeconds: z
    .optional(z.int().check(z.positive(), z.lte(longestAgentLifetimeSeconds)))
    .check(z.describe('How long an agent may live once it has connected; when not given: 13 days')),
  removeExitedAfterSeconds: z
    .optional(z.int().check(z.positive(), z.lte(longestAgentLifetimeSeconds)))
    .check(
      z.describe('How long after an agent has exited it is removed, for CI systems that do not say when a job is over'),
    ),
  template: PodTemplate.check(
    z.describe('What the Pod is made from: labels, annotations and spec of a PodTemplateSpec'),
  ),
});
export type Profile = z.infer<typeof Profile>;

/** A CI system that sends webhooks. */
export const WebhookConfig = z.strictObject({
  provider: z.literal('github'),
  secret: SecretId.check(z.describe('Name or ARN of the secret that the provider signs its webhooks with')),
});
export type WebhookConfig = z.infer<typeof WebhookConfig>;

/** davit.yaml, parsed. */
export const Config = z.strictObject({
  clusters: z.array(ClusterConfig).check(z.minLength(1), z.describe('The clusters that agents are launched into')),
  webhooks: z.withDefault(z.array(WebhookConfig), []).check(z.describe('The CI systems whose webhooks are taken')),
  profiles: z
    .array(Profile)
    .check(z.minLength(1), z.describe('The kinds of agents; a job goes to the first that has all its labels')),
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
