import type { AppsV1Api, NetworkingV1Api, V1NetworkPolicy } from '@kubernetes/client-node';
import { hasMetadataService } from '../../core/agent/egress.ts';
import type { Profile } from '../../core/config/config.ts';
import { labelKeys } from '../../core/launch/names.ts';
import { inTime, rbacFix, refused } from './ask-cluster.ts';
import { type Finding, ok, skipped, warning } from './finding.ts';

const why =
  "A job may reach other agents, and its node's metadata service (169.254.169.254): there it reads the node's own credentials.";

/**
 * Checks what bounds the network of a profile's agents, as far as the API server shows it: whether NetworkPolicies keep
 * them from the metadata service of their node.
 */
export async function checkNetwork(
  networking: NetworkingV1Api,
  about: string,
  { name, namespace }: Pick<Profile, 'name' | 'namespace'>,
): Promise<Finding> {
  const listed = await inTime(networking.listNamespacedNetworkPolicy({ namespace })).catch(refused);
  const subject = `${about}: profile ${name}`;
  if (listed === undefined) {
    const what =
      "the caller may not list NetworkPolicies, so nobody knows whether a job reaches its node's metadata service";
    return skipped(subject, what);
  }
  const labels = { [labelKeys.managedBy]: 'davit', [labelKeys.name]: 'davit-agent', [labelKeys.profile]: name };
  const bounding = listed.items.filter((policy) => boundsEgress(policy, labels));
  if (bounding.length === 0) {
    return warning(subject, 'no NetworkPolicy bounds what its jobs reach', why, rbacFix);
  }
  const open = bounding.find(letsMetadataThrough);
  if (open === undefined) return ok(subject, 'NetworkPolicies keep its jobs from the metadata service of their node');
  const what = `NetworkPolicy ${open.metadata?.name} lets its jobs reach the metadata service of their node`;
  return warning(subject, what, why, 'take 169.254.0.0/16 out of it, by `except`');
}

/** The DaemonSets, or containers of one, that enforce NetworkPolicies in well-known networks of clusters. */
const enforcers =
  /^(cilium|anetd|calico-node|canal|antrea-agent|kube-router|weave-net|ovnkube-node|kindnet|kube-network-policies|aws-network-policy-agent|aws-eks-nodeagent|azure-npm)$/;

/** Checks whether the cluster runs something that enforces NetworkPolicies: the API server itself accepts them in vain. */
export async function checkEnforcement(apps: AppsV1Api, about: string): Promise<Finding> {
  const listed = await inTime(apps.listDaemonSetForAllNamespaces()).catch(refused);
  if (listed === undefined) {
    return skipped(about, 'the caller may not list DaemonSets, so nobody knows whether NetworkPolicies are enforced');
  }
  const names = listed.items.flatMap(({ metadata, spec }) => [
    metadata?.name ?? '',
    ...(spec?.template.spec?.containers ?? [])
      .filter(({ args = [] }) => !args.includes('--enable-network-policy=false'))
      .map(({ name }) => name),
  ]);
  const enforcer = names.find((name) => enforcers.test(name));
  if (enforcer !== undefined) return ok(about, `${enforcer} enforces NetworkPolicies`);
  const noEffect =
    'Without one, they have no effect. davit knows the usual ones, and cannot see one that the provider hides.';
  const fix = 'ask your provider, or install one; on EKS: set enableNetworkPolicy in the VPC CNI add-on';
  return warning(about, 'no DaemonSet is known to enforce NetworkPolicies', noEffect, fix);
}

/** Says what only EC2 knows about the nodes of an EKS cluster. */
export function nodesOfEks(about: string, clusterName: string): Finding {
  const filter = `Name=tag:aws:eks:cluster-name,Values=${clusterName}`;
  const query = 'Reservations[].Instances[].[InstanceId,MetadataOptions.HttpPutResponseHopLimit]';
  return {
    verdict: 'skipped',
    about,
    what: 'the hop limit of its nodes is not checked: with 2, a Pod reads the role of its node from the metadata service',
    fix: `set it to 1 in the launch template; see it: aws ec2 describe-instances --filters '${filter}' --query '${query}'`,
  };
}

function boundsEgress({ spec }: V1NetworkPolicy, labels: Readonly<Record<string, string>>): boolean {
  const { podSelector, policyTypes = [], egress } = spec ?? {};
  if (podSelector?.matchExpressions?.length) return false;
  const isSelected = Object.entries(podSelector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return isSelected && (policyTypes.includes('Egress') || egress !== undefined);
}

function letsMetadataThrough({ spec }: V1NetworkPolicy): boolean {
  return (spec?.egress ?? []).some(
    ({ to = [] }) => to.length === 0 || to.some(({ ipBlock }) => ipBlock !== undefined && hasMetadataService(ipBlock)),
  );
}
