import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Component } from './nodes/processes.ts';
import { type ClusterPlan, directoryOf, nodesOf } from './plan.ts';

/** The control plane's programs, in start order. They all run on the first node. */
export const controlPlaneNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type ControlPlaneName = (typeof controlPlaneNames)[number];

/** A Service's own address is only ever rewritten, and receives no packet. */
const serviceSubnet = '10.96.0.0/16';

/** The address of the Service `kubernetes`, at which Pods find the API server. */
export const apiServiceIp = '10.96.0.1';
const manyRequests = ['--kube-api-qps=1000', '--kube-api-burst=2000'];

/** etcd's URL. */
export const etcdOf = (plan: ClusterPlan): string => `http://${nodesOf(plan)[0].ip}:2379`;

/** The path of a component's kubeconfig. */
export const kubeconfigOf = (plan: ClusterPlan, component: string): string =>
  join(directoryOf(plan), 'credentials', `${component}.kubeconfig`);

/**
 * The audit log of all requests but Kubernetes' own: one `audit.k8s.io/v1` Event per line, when the request is over.
 */
export const auditLogPathOf = (plan: Pick<ClusterPlan, 'number'>): string => join(directoryOf(plan), 'audit.log');

const auditPolicyPathOf = (plan: ClusterPlan): string => join(directoryOf(plan), 'audit-policy.json');

/** The audit policy. */
export async function writeAuditPolicy(plan: ClusterPlan): Promise<void> {
  const users = ['apiserver', 'kube-scheduler', 'kube-controller-manager', 'kube-proxy'].map(
    (name) => `system:${name}`,
  );
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [
      { level: 'None', users: [...users, 'kwok', 'system:anonymous'] },
      { level: 'None', userGroups: ['system:nodes', 'system:serviceaccounts:kube-system'] },
      { level: 'Metadata' },
    ],
  };
  await writeFile(auditPolicyPathOf(plan), JSON.stringify(policy));
}

/** How to run a component of the control plane. */
export function controlPlane(kubernetes: string, plan: ClusterPlan, name: ControlPlaneName): Component {
  return { name, program: kubernetes, args: [name, ...argumentsOf[name](plan)] };
}

const argumentsOf: Readonly<Record<ControlPlaneName, (plan: ClusterPlan) => string[]>> = {
  etcd: (plan) => [
    `--data-dir=${join(directoryOf(plan), 'etcd')}`,
    `--listen-client-urls=${etcdOf(plan)}`,
    `--advertise-client-urls=${etcdOf(plan)}`,
    '--listen-peer-urls=http://127.0.0.1:2380',
    '--unsafe-no-fsync', // if this machine loses its power, the cluster is lost anyway
    '--log-level=warn',
  ],
  'kube-apiserver': (plan) => [
    `--etcd-servers=${etcdOf(plan)}`,
    `--advertise-address=${nodesOf(plan)[0].ip}`,
    `--tls-cert-file=${credential(plan, 'server.pem')}`,
    `--tls-private-key-file=${credential(plan, 'server-key.pem')}`,
    `--token-auth-file=${credential(plan, 'tokens.csv')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${credential(plan, 'service-accounts.pem')}`,
    `--service-account-signing-key-file=${credential(plan, 'service-accounts-key.pem')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    `--service-cluster-ip-range=${serviceSubnet}`,
    `--service-node-port-range=${plan.nodePortRange}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--allow-privileged=true',
    `--audit-policy-file=${auditPolicyPathOf(plan)}`,
    `--audit-log-path=${auditLogPathOf(plan)}`,
    '--audit-log-maxsize=4096', // MB: one file, whatever the bench measures
  ],
  'kube-controller-manager': (plan) => [
    `--kubeconfig=${kubeconfigOf(plan, 'kube-controller-manager')}`,
    `--service-account-private-key-file=${credential(plan, 'service-accounts-key.pem')}`,
    `--root-ca-file=${credential(plan, 'server.pem')}`,
    '--use-service-account-credentials=true',
    '--leader-elect=false',
    // A test waits for a node to be lost. The kubelet reports every 2.5 s.
    '--node-monitor-period=1s',
    '--node-monitor-grace-period=12s',
    ...manyRequests,
  ],
  'kube-scheduler': (plan) => [
    `--kubeconfig=${kubeconfigOf(plan, 'kube-scheduler')}`,
    '--leader-elect=false',
    ...manyRequests,
  ],
};

const credential = (plan: ClusterPlan, name: string): string => join(directoryOf(plan), 'credentials', name);

/** kwok, which simulates the nodes that carry its annotation. */
export function kwok(program: string, plan: ClusterPlan): Component {
  return {
    name: 'kwok',
    program,
    args: [
      `--kubeconfig=${kubeconfigOf(plan, 'kwok')}`,
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
      '--cidr=10.251.0.1/16',
      '--node-lease-duration-seconds=40',
    ],
  };
}
