import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotations, App, BootstraplessSynthesizer, type IStackSynthesizer, Tags } from 'aws-cdk-lib';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { SynthesisMessageLevel } from 'aws-cdk-lib/cx-api';
import { Construct } from 'constructs';
import cdkJson from '../cdk.json' with { type: 'json' };
import type { Config } from '../core/config/config.ts';
import type { FunctionName } from '../runtime/function-settings.ts';
import { accessEntries } from './constructs/eks-clusters.ts';
import { DavitStack } from './davit-stack.ts';
import { type StackOptions, stackPropsOf } from './stack-props.ts';

/** The input of a template. */
export interface TemplateInput {
  stackName: string;
  config: Config;
  options: StackOptions;
  /** The VPC of the functions that reach clusters or CI systems, and their subnets in it. @default outside of any VPC */
  network?: { vpcId: string; subnetIds: readonly string[] };
  /** The EKS clusters that get access entries, by their names in EKS. @default none */
  eksClusters?: readonly string[];
  /** The bucket with the functions' bundles, and the key of each. */
  bundles: { bucketName: string; keys: ReadonlyMap<FunctionName, string> };
}

/** A template that CloudFormation deploys without a bootstrap stack. */
export interface SynthesisedTemplate {
  /** JSON, without white space. */
  body: string;
  warnings: readonly string[];
}

/**
 * Makes the template of a davit whose bundles are in a bucket. A package has this module as one file, together with the
 * CDK, so that a deployment needs neither a CDK app nor the CDK's packages.
 */
export function synthesiseTemplate({
  eksClusters = [],
  stackName,
  config,
  options,
  network,
  bundles,
}: TemplateInput): SynthesisedTemplate {
  const outdir = mkdtempSync(join(tmpdir(), 'davit-template-'));
  try {
    const app = new App({
      outdir,
      // The command shows the warnings itself.
      context: { ...cdkJson.context, '@aws-cdk/core:annotationsInValidationReport': false },
      analyticsReporting: false,
      builtinCloudFormationValidation: false,
    });
    const vpc = network === undefined ? {} : { lookUpVpc: (scope: Construct) => vpcOf(scope, network) };
    const stack = new DavitStack(app, stackName, {
      ...stackPropsOf(config, options),
      synthesizer: withoutBootstrap(),
      ...vpc,
      functionCode: (scope, functionName) => codeOf(scope, functionName, bundles),
    });
    for (const name of eksClusters) {
      accessEntries(new Construct(stack, `AccessEntries-${name}`), name, stack.davit.clusterRoles);
    }
    Tags.of(stack).add('application', 'davit');
    // A key follows from the content that it is for, so it needs no version.
    Annotations.of(stack).acknowledgeWarning('@aws-cdk/aws-lambda:codeFromBucketObjectVersionNotSpecified');
    const { template, messages } = app.synth().getStackByName(stackName);
    const warnings = messages.filter(({ level }) => level === SynthesisMessageLevel.WARNING);
    return { body: JSON.stringify(template), warnings: warnings.flatMap(({ entry: { data } }) => wordsOf(data)) };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** The CDK's own declarations do not hold under `exactOptionalPropertyTypes`, so this needs a cast. */
function withoutBootstrap(): IStackSynthesizer {
  return new BootstraplessSynthesizer() as IStackSynthesizer;
}

/** The CDK's warnings are texts; its other entries of metadata may be anything. */
function wordsOf(data: unknown): string[] {
  return typeof data === 'string' ? [data] : [];
}

function codeOf(scope: Construct, functionName: FunctionName, { bucketName, keys }: TemplateInput['bundles']): Code {
  const key = keys.get(functionName);
  if (key === undefined) throw new TypeError(`there is no bundle of ${functionName}`);
  return Code.fromBucket(Bucket.fromBucketName(scope, 'Bundles', bucketName), key);
}

/** Lambda needs only the ids; the zones, which the CDK asks for, appear nowhere in the template. */
function vpcOf(scope: Construct, { vpcId, subnetIds }: NonNullable<TemplateInput['network']>): IVpc {
  const availabilityZones = subnetIds.map((_id, index) => `zone-${index}`);
  return Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId, availabilityZones, privateSubnetIds: [...subnetIds] });
}
