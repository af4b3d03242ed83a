import { CfnOutput, Fn, Stack, type StackProps } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { Davit, type DavitProps } from './constructs/davit.ts';
import type { FunctionNetwork } from './constructs/function-network.ts';

/** The properties of the stack: those of a davit, and names of resources in the account. */
export interface DavitStackProps extends DavitProps, StackProps {
  /** The id of a VPC to look up, instead of `vpc`; the stack then needs an `env`. */
  vpcId?: string;
  /** Refers to the VPC in another way, instead of `vpcId`. */
  lookUpVpc?: (scope: Construct) => IVpc;
  /** A domain name for the API, instead of `customDomain`; you make its DNS record. */
  ownName?: { domainName: string; certificateArn: string };
}

/** One davit in a stack of its own, which prints the URL for webhooks. */
export class DavitStack extends Stack {
  readonly davit: Davit;
  /** The outputs that `cdk deploy` prints. */
  readonly outputs: readonly CfnOutput[];

  constructor(scope: Construct, id: string, props: DavitStackProps) {
    super(scope, id, props);
    const { vpcId, ownName } = props;
    const vpc = vpcId === undefined ? props.lookUpVpc?.(this) : Vpc.fromLookup(this, 'Vpc', { vpcId });
    this.davit = new Davit(this, 'Davit', {
      ...props,
      ...(vpc === undefined ? {} : { vpc }),
      ...(ownName === undefined ? {} : { customDomain: this.#customDomain(ownName) }),
    });
    this.outputs = this.#outputs(props);
  }

  #customDomain({ domainName, certificateArn }: NonNullable<DavitStackProps['ownName']>) {
    return { domainName, certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn) };
  }

  #outputs({ config, clusters = {} }: DavitStackProps): CfnOutput[] {
    const { alarms, api, publicUrl, stateMachine, functions, network, clusterRoles } = this.davit;
    const ofEks = config.clusters.some((cluster) => 'eks' in cluster && clusters[cluster.name] === undefined);
    const roleArns = Object.values(clusterRoles).map(({ roleArn }) => roleArn);
    const output = (name: string, value: string, description: string) =>
      new CfnOutput(this, name, { value, description });
    return [
      ...config.ciSystems.map(({ name }) =>
        output(`WebhookUrl-${name}`, `${publicUrl}/webhooks/${name}`, `Where ${name} sends its webhooks`),
      ),
      output('ApiUrl', api.url, 'The HTTP API; /launches asks for IAM'),
      ...(api.apiDomain === undefined
        ? []
        : [output('ApiTarget', api.apiDomain.domain.regionalDomainName, "Make the API's own name a CNAME of this")]),
      ...(alarms === undefined
        ? []
        : [output('AlarmTopic', alarms.topic.topicArn, 'Alarms are sent here: subscribe to it')]),
      output('StateMachineArn', stateMachine.stateMachineArn, 'The state machine: one execution a launch'),
      output(
        'SweepFunction',
        functions.sweep.lambda.functionName,
        'Runs every minute; {"dryRun":true} shows what it would do',
      ),
      output(
        'ReconcileFunction',
        functions.reconcile.lambda.functionName,
        'Compares with the CI systems; {"dryRun":true} shows what it would do',
      ),
      ...(ofEks
        ? [output('ClusterRoles', Fn.join(' ', roleArns), 'Each needs an access entry in the EKS clusters')]
        : []),
      ...(network === undefined
        ? []
        : [output('SecurityGroups', Fn.join(' ', groupIds(network)), 'The API servers have to let these in at 443')]),
    ];
  }
}

function groupIds({ securityGroups }: Required<FunctionNetwork>): string[] {
  return securityGroups.map(({ securityGroupId }) => securityGroupId);
}
