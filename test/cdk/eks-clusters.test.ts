import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Cluster } from 'aws-cdk-lib/aws-eks-v2';
import * as z from 'zod';
import { Davit, type DavitProps } from '../../cdk/constructs/davit.ts';
import { functionNames, reachesClusters } from '../../cdk/function-permissions.ts';
import { clusterObjects } from '../../cdk/rbac/cluster-objects.ts';
import { eksIdentity } from '../../cdk/rbac/davit-identity.ts';
import { unbundledApp } from '../../cdk/unbundled-app.ts';
import type { Config } from '../../core/config/config.ts';
import { config as kubeconfigs, propertiesOf } from './synthesise.ts';
import { functionsOf } from './synthesised-function.ts';
import { eksCluster } from './variants.ts';

/** The usual config, with cluster `one` on EKS. */
function onEks(eks: { clusterName: string; region?: string }): Config {
  const clusters = kubeconfigs.clusters.map((cluster) => (cluster.name === 'one' ? { name: 'one', eks } : cluster));
  return { ...kubeconfigs, clusters };
}

const config = onEks({ clusterName: 'builds' });

/** An app with an EKS cluster and a davit. */
function appWith(props: (cluster: Cluster, vpc: IVpc) => Partial<DavitProps>, clusterName = 'builds') {
  const stack = new Stack(unbundledApp(), 'Theirs');
  // Vpc is not assignable to IVpc under exactOptionalPropertyTypes.
  const vpc = new Vpc(stack, 'Vpc') as IVpc;
  const cluster = eksCluster(stack, vpc, clusterName);
  const davit = new Davit(stack, 'Davit', { config, ...props(cluster, vpc) });
  return { stack, davit };
}

const AppliedManifest = z.object({ Manifest: z.string() });

describe('an EKS cluster of the same app', () => {
  const { stack, davit } = appWith((cluster, vpc) => ({ vpc, clusters: { one: cluster } }));
  const template = Template.fromStack(stack);

  test("admits the role of each function that reaches clusters, as the group davit, and none of davit's other roles", () => {
    const entries = propertiesOf(template, 'AWS::EKS::AccessEntry').filter(
      ({ KubernetesGroups }) => KubernetesGroups !== undefined,
    );

    const roles = functionNames
      .filter(reachesClusters)
      .map((name): unknown => stack.resolve(davit.functions[name].role.roleArn));
    expect(entries.map(({ PrincipalArn }) => PrincipalArn)).toEqual(expect.arrayContaining(roles));
    expect(entries).toHaveLength(roles.length);
    for (const entry of entries) expect(entry).toMatchObject({ KubernetesGroups: ['davit'], Type: 'STANDARD' });
    // Kubernetes' own RBAC limits davit there: each of EKS's policies grants more.
    for (const entry of entries) expect(entry).not.toHaveProperty('AccessPolicies');
  });

  test('gets the objects that `npx davit rbac` prints', () => {
    const applied = propertiesOf(template, 'Custom::AWSCDK-EKS-KubernetesResource').map((properties): unknown =>
      JSON.parse(AppliedManifest.parse(properties).Manifest),
    );

    const printed = clusterObjects(config, 'one', eksIdentity);
    // CDK adds a label of its own, for pruning.
    expect(applied).toMatchObject([printed]);
  });

  test("admits davit's only security group at 443", () => {
    template.hasResourceProperties('AWS::EC2::SecurityGroupIngress', {
      Description: 'davit: the API server',
      IpProtocol: 'tcp',
      FromPort: 443,
      ToPort: 443,
      SourceSecurityGroupId: { 'Fn::GetAtt': [Match.stringLikeRegexp('^DavitSecurityGroup'), 'GroupId'] },
    });
  });

  test('is described by the functions that reach it, and by no others', () => {
    const functionOf = functionsOf(template);

    const askers = functionNames.filter((name) =>
      functionOf(name).permissions.some(({ action }) => action.startsWith('eks:')),
    );
    const [asked] = functionOf('sweep').permissions.filter(({ action }) => action.startsWith('eks:'));

    expect(askers).toEqual(functionNames.filter(reachesClusters));
    expect(asked).toMatchObject({ action: 'eks:DescribeCluster' });
    expect(asked?.resource).toMatch(/:eks:.*:cluster\/builds$/);
  });
});

test('an EKS cluster elsewhere is described in its own region', () => {
  const { stack } = appWith(() => ({ config: onEks({ clusterName: 'builds', region: 'us-west-2' }) }));

  const { permissions } = functionsOf(Template.fromStack(stack))('create-pod');

  expect(permissions.find(({ action }) => action === 'eks:DescribeCluster')?.resource).toMatch(
    /:eks:us-west-2:.*:cluster\/builds$/,
  );
});

describe('a cluster that does not match davit.yaml stops the synthesis', () => {
  test('when davit.yaml has no cluster of that name', () => {
    expect(() => appWith((cluster) => ({ clusters: { other: cluster } }))).toThrow(
      'clusters: davit.yaml has no EKS cluster other; those it has: one',
    );
  });

  test('when davit.yaml has it with a kubeconfig', () => {
    expect(() => appWith((cluster) => ({ config: kubeconfigs, clusters: { one: cluster } }))).toThrow(
      'clusters: davit.yaml has no EKS cluster one; those it has: none',
    );
  });

  test('when its name in EKS is another one', () => {
    expect(() => appWith((cluster) => ({ clusters: { one: cluster } }), 'staging')).toThrow(
      'clusters: davit.yaml says that one is called builds by EKS; its name is staging',
    );
  });
});
