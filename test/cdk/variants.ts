import { type App, type Environment, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  type IVpc,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Cluster, KubernetesVersion } from 'aws-cdk-lib/aws-eks-v2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { Davit, type DavitProps } from '../../cdk/constructs/davit.ts';
import { functionNames } from '../../cdk/function-permissions.ts';
import { unbundledApp } from '../../cdk/unbundled-app.ts';
import { config } from './synthesise.ts';

/** Makes a davit's props, in the stack of the davit. */
export type MakeProps = (stack: Stack) => Partial<DavitProps>;

/** A davit in another stack, without bundled functions. */
export function davitOf(makeProps: MakeProps = () => ({}), env: Environment = {}): { app: App; davit: Davit } {
  const app = unbundledApp();
  const stack = new Stack(app, 'Theirs', { env });
  return { app, davit: new Davit(stack, 'Davit', { config, ...makeProps(stack) }) };
}

/** The typical davits, by their props. */
export const variants: Readonly<Record<string, MakeProps>> = {
  'nothing but its config': () => ({}),
  // Vpc is not assignable to IVpc under exactOptionalPropertyTypes.
  'a VPC': (stack) => ({ vpc: new Vpc(stack, 'Vpc') as IVpc }),
  'a closed VPC with endpoints': (stack) => ({ vpc: closedVpc(stack) as IVpc }),
  'a key': (stack) => ({ encryptionKey: new Key(stack, 'Key', { enableKeyRotation: true }) }),
  'a name': (stack) => ({ customDomain: domainOf(stack) }),
  'every option': everyOption,
  'an EKS cluster of the app': (stack) => {
    const vpc = new Vpc(stack, 'Vpc') as IVpc;
    const [one, ...others] = config.clusters.map(({ name }) => ({ name, eks: { clusterName: `builds-${name}` } }));
    if (one === undefined) throw new Error('the config has no cluster');
    const clusters = { [one.name]: eksCluster(stack, vpc, one.eks.clusterName) };
    return { vpc, clusters, config: { ...config, clusters: [one, ...others] } };
  },
};

/** Gives a davit every option that makes it stricter. */
export function everyOption(stack: Stack): Partial<DavitProps> {
  const reservedConcurrency = Object.fromEntries(functionNames.map((name) => [name, 20] as const));
  return {
    vpc: new Vpc(stack, 'Vpc', { restrictDefaultSecurityGroup: false }) as IVpc,
    encryptionKey: new Key(stack, 'Key', { enableKeyRotation: true }),
    customDomain: domainOf(stack),
    publicUrl: 'https://agents.example.com',
    reservedConcurrency,
    logRetention: RetentionDays.ONE_YEAR,
  };
}

/** Makes an EKS cluster of `aws-eks-v2` that accepts manifests. */
export function eksCluster(stack: Stack, vpc: IVpc, clusterName: string): Cluster {
  const layer = 'arn:aws:lambda:eu-central-1:111122223333:layer:kubectl:1';
  return new Cluster(stack, 'Cluster', {
    version: KubernetesVersion.V1_33,
    clusterName,
    vpc,
    kubectlProviderOptions: { kubectlLayer: LayerVersion.fromLayerVersionArn(stack, 'Kubectl', layer) },
  });
}

/** Adds an endpoint for each AWS service that functions in a VPC call. */
export function addEndpoints(vpc: Vpc): void {
  vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB });
  vpc.addInterfaceEndpoint('Secrets', { service: InterfaceVpcEndpointAwsService.SECRETS_MANAGER });
  vpc.addInterfaceEndpoint('States', { service: InterfaceVpcEndpointAwsService.STEP_FUNCTIONS });
  vpc.addInterfaceEndpoint('Lambda', { service: InterfaceVpcEndpointAwsService.LAMBDA });
  vpc.addInterfaceEndpoint('Events', { service: InterfaceVpcEndpointAwsService.EVENTBRIDGE });
}

function closedVpc(stack: Stack): Vpc {
  const subnetConfiguration = [{ name: 'closed', subnetType: SubnetType.PRIVATE_ISOLATED }];
  const vpc = new Vpc(stack, 'Vpc', { subnetConfiguration });
  addEndpoints(vpc);
  return vpc;
}

function domainOf(stack: Stack): NonNullable<DavitProps['customDomain']> {
  const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/7f0a2b1c-9d3e-4f5a-8b6c-0d1e2f3a4b5c';
  return {
    domainName: 'davit.example.com',
    certificate: Certificate.fromCertificateArn(stack, 'Certificate', certificateArn),
    hostedZone: HostedZone.fromHostedZoneAttributes(stack, 'Zone', {
      hostedZoneId: 'Z0123456789ABCDEFGHIJ',
      zoneName: 'example.com',
    }),
  };
}
