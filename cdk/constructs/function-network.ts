import { Annotations, Stack } from 'aws-cdk-lib';
import { CfnVPCEndpoint, type ISecurityGroup, type IVpc, type SubnetSelection, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Effect, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** The network of the functions that reach clusters or CI systems. The others need no VPC and run outside of any. */
export interface FunctionNetwork {
  vpc: IVpc;
  /** @default the private subnets */
  vpcSubnets?: SubnetSelection;
  /**
   * The functions' security groups. The cluster's security group must allow their traffic at 443.
   *
   * @default one for all of them, which allows all outgoing traffic
   */
  securityGroups?: ISecurityGroup[];
}

/**
 * The actions by which Lambda attaches a function to a VPC, in the function's name. AWS cannot restrict any of them to a
 * resource.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions
 */
const attaching = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * Allows Lambda to attach a function to a VPC, and denies the same to the function's own code: only the code's calls carry
 * a source function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-intro-execution-role.html#permissions-executionrole-source-function-arn
 */
export function grantAttaching({ grantPrincipal }: IGrantable): void {
  const everywhere = { actions: attaching, resources: ['*'] };
  grantPrincipal.addToPrincipalPolicy(new PolicyStatement(everywhere));
  grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      ...everywhere,
      effect: Effect.DENY,
      conditions: { Null: { 'lambda:SourceFunctionArn': 'false' } },
    }),
  );
}

/**
 * Checks that functions in subnets with no way out find an endpoint in the VPC for each service that they call. For a VPC
 * of the app, a missing endpoint stops the synthesis. The endpoints of a VPC that the app only refers to are unknown, so
 * this adds a warning.
 *
 * @param services by their names in endpoints: `secretsmanager`
 */
export function checkEndpoints(scope: Construct, network: FunctionNetwork, services: readonly string[]): void {
  const { vpc } = network;
  const closed = closedSubnets(network);
  if (closed.length === 0) return;
  const where = `vpc: the functions' subnets have no way out (${closed.join(', ')})`;
  if (vpc instanceof Vpc) {
    const missing = () => services.filter((service) => !hasEndpoint(vpc, service));
    const says = (service: string) =>
      `${where}, and there is no endpoint for ${service}, which they call: add one, or take subnets with a NAT gateway`;
    scope.node.addValidation({ validate: () => missing().map(says) });
  } else {
    const says = `${where}; the VPC needs an endpoint for each of ${services.join(', ')}, which they call`;
    Annotations.of(scope).addWarningV2('davit:endpoints', says);
  }
}

/** Lists the functions' subnets that have no way out; none until CDK has looked up the VPC. */
function closedSubnets({ vpc, vpcSubnets }: FunctionNetwork): string[] {
  const { subnets, isPendingLookup = false } = vpc.selectSubnets(vpcSubnets);
  const isolated = new Set(vpc.isolatedSubnets.map(({ node }) => node.path));
  return isPendingLookup ? [] : subnets.filter(({ node }) => isolated.has(node.path)).map(({ node }) => node.id);
}

/** Looks for an endpoint of the VPC in the whole app. */
function hasEndpoint(vpc: Vpc, service: string): boolean {
  return vpc.node.root.node
    .findAll()
    .filter((construct) => construct instanceof CfnVPCEndpoint)
    .some(
      ({ vpcId, serviceName }) => vpcId === vpc.vpcId && endsWith(Stack.of(vpc).resolve(serviceName), `.${service}`),
    );
}

/** The name of an endpoint's service is the region joined with the service. */
function endsWith(resolved: unknown, ending: string): boolean {
  return JSON.stringify(resolved)
    .replaceAll(/["\]}]+$/g, '')
    .endsWith(ending);
}
