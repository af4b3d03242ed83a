import type { Profile } from './config.ts';
import type { LaunchPlan } from './launch-state.ts';
import { literalValue } from './literal-value.ts';
import type { Manifest, OwnerReference } from './manifest.ts';
import { annotationKeys, labelKeys, labelsOf } from './names.ts';

/**
 * Makes the NodePort Service of a launch. Traffic stays on the Pod's own node, since davit advertises that node's address.
 * The agent is reachable from its first moment, ready or not. The cluster chooses the port. The Service selects one agent
 * and not its launch: a Pod of an earlier generation may still run, even on the same node.
 */
export function agentService(plan: LaunchPlan): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...identityOf(plan), labels: labelsOf(plan), annotations: annotationsOf(plan) },
    spec: {
      type: 'NodePort',
      externalTrafficPolicy: 'Local',
      publishNotReadyAddresses: true,
      selector: { [labelKeys.agentName]: plan.agentName },
      ports: [{ name: 'agent', protocol: 'TCP', port: plan.agentPort, targetPort: plan.agentPort }],
    },
  };
}

/** What an agent gets beside its template. */
export interface AgentExtras {
  /** The environment by which the agent connects, and the caller's. Each value arrives as it is: nothing is expanded. */
  env: Record<string, string>;
  /** The caller's labels. */
  labels: Record<string, string>;
  /** The id of the credential in `env`. */
  credentialId: string;
  /** The Service that owns the Pod; absent when nothing exposes it. */
  serviceUid: string | undefined;
}

/**
 * Makes the Pod of a launch from its profile's template. The template wins over davit's defaults and the caller's labels;
 * davit's labels, the owner and the agent's environment win over the template.
 */
export function agentPod(plan: LaunchPlan, profile: Profile, extras: AgentExtras): Manifest {
  const { template } = profile;
  const { initContainers } = template.spec;
  const given = <Any extends Container>(container: Any): Any =>
    container.name === profile.agentContainer ? withEnv(container, extras.env) : container;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...identityOf(plan),
      labels: { ...extras.labels, ...template.metadata?.labels, ...labelsOf(plan) },
      annotations: {
        ...notToBeEvicted,
        ...template.metadata?.annotations,
        ...annotationsOf(plan),
        [annotationKeys.credentialId]: extras.credentialId,
      },
      ...(extras.serviceUid === undefined ? {} : { ownerReferences: [ownerOf(plan, extras.serviceUid)] }),
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      // A Pod would find the address of every Service in its namespace in its environment, other agents' among them.
      enableServiceLinks: false,
      topologySpreadConstraints: [spreadOverNodes],
      ...template.spec,
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(given) }),
      containers: template.spec.containers.map(given),
    },
  };
}

const notToBeEvicted = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
};

const spreadOverNodes = {
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: { [labelKeys.name]: 'davit-agent' } },
};

/** blockOwnerDeletion keeps the Service, and with it the agent's port, until the Pod is gone. */
function ownerOf(plan: LaunchPlan, uid: string): OwnerReference {
  return { apiVersion: 'v1', kind: 'Service', name: plan.agentName, uid, controller: false, blockOwnerDeletion: true };
}

function identityOf(plan: LaunchPlan): { name: string; namespace: string } {
  return { name: plan.agentName, namespace: plan.namespace };
}

function annotationsOf(plan: LaunchPlan): Record<string, string> {
  return {
    [annotationKeys.execution]: plan.launchId,
    ...(plan.sourceUrl === undefined ? {} : { [annotationKeys.source]: plan.sourceUrl }),
  };
}

type Container = { name: string; env?: { name: string }[] | undefined };

function withEnv<Any extends Container>(container: Any, env: Record<string, string>): Any {
  const kept = (container.env ?? []).filter(({ name }) => !Object.hasOwn(env, name));
  const added = Object.entries(env).map(([name, value]) => ({ name, value: literalValue(value) }));
  return { ...container, env: [...kept, ...added] };
}
