import { DnsLabel } from '../agent/pod-template.ts';
import { CiSystemConfig } from '../ci/ci-system-config.ts';
import { AgentLimit } from '../limits/agent-limit.ts';
import * as z from '../zod.ts';
import { Profile } from './profile.ts';
import { SecretId } from './secret-id.ts';

export { Profile };

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
  region: z.described(
    z.exactOptional(
      z.string().check(z.regex(/^[a-z]{2,}(-[a-z]+)+-\d+$/, 'expected an AWS region such as eu-central-1')),
    ),
    "The cluster's region. Default: davit's own region",
  ),
  server: z.described(z.exactOptional(EksServer), "The API server's address. Default: davit asks EKS"),
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
      name: z.described(DnsLabel, "The cluster's name in profiles and messages"),
      kubeconfigSecret: z.described(z.optional(SecretId), 'Name or ARN of the secret that holds the kubeconfig'),
      eks: z.described(z.optional(EksAccess), 'The EKS cluster, instead of a kubeconfig'),
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

/** davit.yaml, parsed. */
export const Config = z.strictObject({
  clusters: z.array(ClusterConfig).check(z.minLength(1), z.describe('The clusters that agents are launched into')),
  ciSystems: z.described(
    z.withDefault(z.array(CiSystemConfig), []),
    'The CI systems whose webhooks davit accepts, and in which it acts',
  ),
  limits: z.described(
    z.withDefault(z.array(AgentLimit), []),
    'How many agents there may be at once for the jobs of an organization or a repository: of each kind, the first that ' +
      'matches counts. A job over a limit waits',
  ),
  profiles: z
    .array(Profile)
    .check(
      z.minLength(1),
      z.describe("The kinds of agents. A job goes to the first profile that has all of the job's labels"),
    ),
});
export type Config = z.infer<typeof Config>;
