import { defaultMaxAgents } from '../../../cdk/rbac/agent-namespace.ts';
import { assumed } from '../assumptions.ts';
import type { Limit } from './limit.ts';
import type { Use } from './use.ts';

/** @see https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ */
const kubernetes = {
  nodePorts: 2768,
  /** --max-requests-inflight and --max-mutating-requests-inflight. */
  requestsAtOnce: 600,
} as const;

/** The limits of one cluster, and of one namespace in it. */
export function clusterLimits(use: Use): Limit[] {
  return [
    {
      what: "Namespace: agents at once (davit's ResourceQuota)",
      quota: defaultMaxAgents,
      unit: 'agents',
      perLaunchASecond: use.lifeSeconds,
      beyond: 'launches wait (`QuotaExceeded`), for `quotaSeconds`',
      raise: '`npx davit rbac --max-agents N`, or `agentLimits: { maxAgents }` of the construct',
    },
    {
      what: 'Cluster: node ports (30000-32767)',
      quota: kubernetes.nodePorts,
      unit: 'ports',
      perLaunchASecond: use.lifeSeconds,
      beyond: 'launches wait (`NodePortRangeFull`), for `nodePortRangeSeconds`',
      raise:
        'more clusters in the profile; `expose: none`; `--service-node-port-range`, which EKS does not let you set',
    },
    {
      what: 'Cluster: requests that the API server works on at once (priority and fairness)',
      quota: kubernetes.requestsAtOnce,
      unit: 'requests',
      perLaunchASecond: use.clusterRequests * assumed.clusterRequestSeconds,
      beyond: '429: steps wait as long as the answer says, and repeat',
      raise: 'a FlowSchema with a PriorityLevelConfiguration for davit; more clusters',
    },
  ];
}
