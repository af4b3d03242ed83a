import { createHash } from 'node:crypto';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { appContext, ContextError } from '../../cdk/app-context.ts';
import type { StackOptions } from '../../cdk/stack-props.ts';
import type { SynthesisedTemplate, TemplateInput } from '../../cdk/synthesise-template.ts';
import type { Config } from '../../core/config/config.ts';
import { CliError } from '../cli-error.ts';
import { type BundleBucket, bucketNameOf, openBucket } from './bucket.ts';
import { type BundleArchive, bundleArchives } from './bundle-archives.ts';
import type { Deployment } from './deployment.ts';
import { openStackPort } from './open-stack-port.ts';
import { openVault, type SecretVault } from './secrets.ts';
import type { StackPort } from './stack-port.ts';

/** The options from which a template follows. */
export interface TemplateOptions {
  publicUrl?: string;
  domainName?: string;
  certificateArn?: string;
  createConcurrency?: string;
  answerConcurrency?: string;
  vpcId?: string;
  subnetIds?: string;
  throwAway?: boolean;
  /** Whether the functions' roles get access entries in the EKS clusters of davit.yaml. */
  eksAccess?: boolean;
}

/** What a deployment puts into the account. */
export interface Prepared {
  template: SynthesisedTemplate;
  /** The template's key in the bucket, which follows from its content. */
  templateKey: string;
  archives: readonly BundleArchive[];
}

/** A deployment's account: the services that a deployment calls. */
export interface Account extends Disposable {
  stack: StackPort;
  bucket: BundleBucket;
  vault: SecretVault;
  secretsManager: SecretsManagerClient;
}

/** Opens the services of a deployment's account. */
export function openAccount(deployment: Deployment): Account {
  const { region } = deployment;
  const cloudFormation = new CloudFormationClient({ region });
  const s3 = new S3Client({ region });
  const secretsManager = new SecretsManagerClient({ region });
  return {
    stack: openStackPort(cloudFormation, deployment),
    bucket: openBucket(s3, deployment),
    vault: openVault(secretsManager, deployment),
    secretsManager,
    [Symbol.dispose]: () => {
      for (const client of [cloudFormation, s3, secretsManager]) client.destroy();
    },
  };
}

/** Reads the options of a template. @throws CliError that names each wrong one */
export function readTemplateOptions(given: TemplateOptions): {
  options: StackOptions;
  network: TemplateInput['network'];
} {
  const values = new Map(Object.entries(given));
  try {
    const { config: _config, vpcId, ...options } = appContext((key) => values.get(key), flagOf);
    return { options, network: networkOf(vpcId, given.subnetIds) };
  } catch (error) {
    if (!(error instanceof ContextError)) throw error;
    throw new CliError('usage', 'option-invalid', error.message, undefined, error);
  }
}

function flagOf(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function networkOf(vpcId: string | undefined, subnets: string | undefined): TemplateInput['network'] {
  const subnetIds = subnets?.split(',') ?? [];
  if (vpcId === undefined && subnets === undefined) return undefined;
  const isWrong = subnetIds.some((id) => !/^subnet-[0-9a-f]+$/.test(id));
  if (vpcId !== undefined && subnetIds.length > 0 && !isWrong) return { vpcId, subnetIds };
  const found = isWrong ? `; found ${subnets}` : '';
  const message = `expected --vpc-id and --subnet-ids subnet-1,subnet-2 together${found}`;
  throw new CliError('usage', 'option-invalid', message);
}

/** Packs the bundles and makes the template. Asks AWS for nothing. */
export async function prepare(config: Config, deployment: Deployment, given: TemplateOptions): Promise<Prepared> {
  const { options, network } = readTemplateOptions(given);
  const archives = bundleArchives(config);
  const eksClusters = given.eksAccess === true ? eksClustersIn(config, deployment) : [];
  // Loads it only here, because the CDK takes a second to load.
  const { synthesiseTemplate } = await import('../../cdk/synthesise-template.ts');
  const keys = new Map([...archives].map(([functionName, { key }]) => [functionName, key]));
  const template = synthesiseTemplate({
    stackName: deployment.stackName,
    config,
    options,
    ...(network === undefined ? {} : { network }),
    eksClusters,
    bundles: { bucketName: bucketNameOf(deployment), keys },
  });
  const digest = createHash('sha256').update(template.body).digest('hex');
  return { template, templateKey: `templates/${digest}.json`, archives: [...archives.values()] };
}

/**
 * Lists the EKS clusters of davit.yaml in which a stack can make access entries: those of its own account and region.
 *
 * @throws CliError for a cluster elsewhere
 */
export function eksClustersIn({ clusters }: Config, { region, stackName }: Deployment): string[] {
  const eks = clusters.flatMap((cluster) => ('eks' in cluster ? cluster.eks : []));
  for (const { clusterName, region: own = region, server } of eks) {
    if (own === region && server === undefined) continue;
    const where = own === region ? 'may be in another account' : `is in ${own}`;
    const what = `--eks-access: the cluster ${clusterName} ${where}; the stack ${stackName} makes entries in its own account and region`;
    throw new CliError('usage', 'eks-access-elsewhere', what, 'Deploy without it: davit doctor prints the commands.');
  }
  return [...new Set(eks.map(({ clusterName }) => clusterName))];
}

/** The URL by which CloudFormation reads a template. */
export function templateUrl({ region, partition }: Deployment, bucketName: string, key: string): string {
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://${bucketName}.s3.${region}.${suffix}/${key}`;
}
