import { Stack, Token } from 'aws-cdk-lib';
import type { ISecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Connections, Port } from 'aws-cdk-lib/aws-ec2';
import type { ICluster } from 'aws-cdk-lib/aws-eks-v2';
import { CfnAccessEntry, CfnCluster } from 'aws-cdk-lib/aws-eks-v2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Config, EksCluster } from '../../functions/domain/config.ts';
import type { AgentNamespaceLimits } from '../rbac/agent-namespace.ts';
import { clusterObjects } from '../rbac/cluster-objects.ts';
import { davitGroup, eksIdentity } from '../rbac/davit-identity.ts';
import type { KubernetesManifest } from '../rbac/kubernetes-object.ts';

/** A cluster of Amazon EKS in the same app, of `aws-eks` or `aws-eks-v2`; manifests can be applied to it. */
export interface EksClusterInApp extends Pick<ICluster, 'clusterName' | 'connections' | 'node'> {
  addManifest(id: string, ...manifest: KubernetesManifest[]): unknown;
}

/** What davit joins clusters with. */
export interface JoiningProps {
  config: Config;
  limits: AgentNamespaceLimits | undefined;
  /** The roles of the functions that reach clusters, by what access entries are to be called. */
  roles: Readonly<Record<string, IRole>>;
  /** Of those functions; none outside of a VPC. */
  securityGroups: readonly ISecurityGroup[];
}

/**
 * Davit's place in one EKS cluster of the app: an access entry for each role, which puts it in the group `davit`; the
 * rights of that group, and what bounds the agents; and, for functions in a VPC, the way to the API server.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html
 */
export class EksMembership extends Construct {
  readonly accessEntries: readonly CfnAccessEntry[];

  /**
   * @param id the cluster's name in davit.yaml
   * @throws Error when davit.yaml has no EKS cluster of that name, or gives it another `clusterName`
   */
  constructor(scope: Construct, id: string, cluster: EksClusterInApp, props: JoiningProps) {
    super(scope, id);
    checkName(eksClusterOf(props.config, id), cluster);
    this.accessEntries = Object.entries(props.roles).map(
      ([name, { roleArn }]) =>
        new CfnAccessEntry(this, name, {
          clusterName: cluster.clusterName,
          principalArn: roleArn,
          kubernetesGroups: [davitGroup],
          type: 'STANDARD',
        }),
    );
    const objects = clusterObjects(props.config, id, eksIdentity, props.limits);
    cluster.addManifest(this.node.path.replaceAll('/', '-'), ...objects);
    if (props.securityGroups.length > 0) {
      const functions = new Connections({ securityGroups: [...props.securityGroups] });
      cluster.connections.allowFrom(functions, Port.HTTPS, 'davit: the API server');
    }
  }
}

function eksClusterOf({ clusters }: Config, name: string): EksCluster {
  const ofEks = clusters.filter((cluster) => 'eks' in cluster);
  const found = ofEks.find((cluster) => cluster.name === name);
  if (found !== undefined) return found;
  const names = ofEks.map((cluster) => cluster.name).join(', ') || 'none';
  throw new Error(`clusters: davit.yaml has no EKS cluster ${name}; those it has: ${names}`);
}

/** A cluster whose name CloudFormation makes up would never be the one that davit.yaml names. */
function checkName({ name, eks: { clusterName } }: EksCluster, cluster: EksClusterInApp): void {
  const made = cluster.node.findAll().find((construct) => construct instanceof CfnCluster);
  const known: unknown = made === undefined ? cluster.clusterName : Stack.of(made).resolve(made.name);
  if (Token.isUnresolved(known) || known === clusterName) return;
  const found = typeof known === 'string' ? known : 'made up when it is deployed: give it a clusterName';
  throw new Error(`clusters: davit.yaml says that ${name} is called ${clusterName} by EKS; its name is ${found}`);
}
