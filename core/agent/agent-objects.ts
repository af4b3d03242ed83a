import type { Profile } from '../config/config.ts';
import type { LaunchPlan } from '../launch/launch-state.ts';
import { annotationKeys, labelKeys, labelsOf } from '../launch/names.ts';
import type { Manifest, OwnerReference } from '../pod/manifest.ts';
import { archLabel, resourcesOf, sizedContainer, sizeText } from './agent-size.ts';
import { literalValue } from './literal-value.ts';

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

/** The parts of an agent that its template does not have. */
export interface AgentExtras {
  /**
   * The environment that the agent connects with, and the caller's. Each value arrives unchanged: Kubernetes expands
   * nothing in it.
   */
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
 * davit's labels, the owner, the agent's environment and the size that its job asked for win over the template.
 */
export function agentPod(plan: LaunchPlan, profile: Profile, extras: AgentExtras): Manifest {
  const { template } = profile;
  const { initContainers } = template.spec;
  const sized = sizedContainer(template.spec, profile.agentContainer);
  const resources = resourcesOf(plan.size ?? {}, profile.sizes);
  const given = <Any extends Container>(container: Any): Any => {
    const joined = container.name === profile.agentContainer ? withEnv(container, extras.env) : container;
    return joined.name === sized ? withResources(joined, resources) : joined;
  };
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
      // Otherwise the Pod's environment would have the address of every Service in its namespace, including other agents'
      // Services.
      enableServiceLinks: false,
      topologySpreadConstraints: [spreadOverNodes],
      ...template.spec,
      ...(plan.size?.arch === undefined
        ? {}
        : { nodeSelector: { ...template.spec.nodeSelector, [archLabel]: plan.size.arch } }),
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
  const { launchId, sourceUrl, job, size } = plan;
  return {
    [annotationKeys.execution]: launchId,
    ...(sourceUrl === undefined ? {} : { [annotationKeys.source]: sourceUrl }),
    ...(job?.repository === undefined ? {} : { [annotationKeys.repository]: job.repository }),
    ...(job?.workflow === undefined ? {} : { [annotationKeys.workflow]: job.workflow }),
    ...(job?.runId === undefined ? {} : { [annotationKeys.run]: `${job.runId}` }),
    ...(size === undefined ? {} : { [annotationKeys.size]: sizeText(size) }),
  };
}

type Container = {
  name: string;
  env?: { name: string }[] | undefined;
  resources?:
    | { requests?: Record<string, unknown> | undefined; limits?: Record<string, unknown> | undefined }
    | undefined;
};

function withEnv<Any extends Container>(container: Any, env: Record<string, string>): Any {
  const kept = (container.env ?? []).filter(({ name }) => !Object.hasOwn(env, name));
  const added = Object.entries(env).map(([name, value]) => ({ name, value: literalValue(value) }));
  return { ...container, env: [...kept, ...added] };
}

/** A request and a limit of the same quantity: the agent has what its job asked for, and never more. */
function withResources<Any extends Container>(container: Any, quantities: Record<string, string>): Any {
  if (Object.keys(quantities).length === 0) return container;
  const { resources } = container;
  const requests = { ...resources?.requests, ...quantities };
  const limits = { ...resources?.limits, ...quantities };
  return { ...container, resources: { ...resources, requests, limits } };
}
