import type { NodeSelectorRequirement, Pod, PodSpec } from './pod.ts';
import { parseQuantity } from './quantity.ts';

/** The part of a node that decides whether a Pod fits. */
export interface Candidate {
  name: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  capacity: Readonly<Record<string, string>>;
  /** The node's Pods, without those that are over. */
  pods: readonly Pod[];
}

/** @see https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

/** The node for a Pod, or why the Pod must wait. */
export type SchedulingDecision =
  | { kind: 'bind'; nodeName: string }
  | { kind: 'wait'; reason: 'SchedulingGated' | 'Unschedulable' | 'SchedulerError'; message: string };

/**
 * Chooses the node with the fewest Pods among those that fit.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/
 */
export function schedule(pod: Pod, candidates: readonly Candidate[]): SchedulingDecision {
  if (pod.spec.schedulingGates.length > 0) {
    const message = 'Scheduling is blocked due to non-empty scheduling gates';
    return { kind: 'wait', reason: 'SchedulingGated', message };
  }
  if (candidates.length === 0) {
    return { kind: 'wait', reason: 'Unschedulable', message: 'no nodes available to schedule pods' };
  }
  const verdicts = candidates.map((candidate) => ({ candidate, obstacles: obstaclesTo(pod, candidate) }));
  const [best] = verdicts
    .filter(({ obstacles }) => obstacles.length === 0)
    .sort((a, b) => a.candidate.pods.length - b.candidate.pods.length);
  if (best !== undefined) return { kind: 'bind', nodeName: best.candidate.name };
  return { kind: 'wait', reason: 'Unschedulable', message: unschedulableMessage(verdicts.map((v) => v.obstacles)) };
}

/** Words the scheduler's message. Preemption can free resources, but cannot remove other obstacles. */
function unschedulableMessage(obstacles: readonly (readonly string[])[]): string {
  const available = `0/${obstacles.length} nodes are available`;
  const preemption = obstacles.map((reasons) =>
    reasons.every(isShortage)
      ? 'No preemption victims found for incoming pod'
      : 'Preemption is not helpful for scheduling',
  );
  return `${available}: ${tally(obstacles.flat())}. preemption: ${available}: ${tally(preemption)}.`;
}

function isShortage(reason: string): boolean {
  return reason.startsWith('Insufficient ') || reason === 'Too many pods';
}

/** Counts the nodes by reason, sorted as the scheduler prints them. */
function tally(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}

/** Returns the reasons of the first filter that rejects the node, as the scheduler does. Lists all shortages. */
function obstaclesTo(pod: Pod, candidate: Candidate): string[] {
  const taint = candidate.taints.find((each) => each.effect !== 'PreferNoSchedule' && !isTolerated(pod.spec, each));
  if (taint !== undefined) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`];
  if (!matchesNode(pod.spec, candidate.labels)) return ["node(s) didn't match Pod's node affinity/selector"];
  return shortages(pod, candidate);
}

function isTolerated(spec: PodSpec, taint: Taint): boolean {
  return spec.tolerations.some(
    ({ key, operator, value, effect }) =>
      (key === undefined ? operator === 'Exists' : key === taint.key) &&
      (operator === 'Exists' || (value ?? '') === (taint.value ?? '')) &&
      (effect === undefined || effect === taint.effect),
  );
}

function matchesNode(spec: PodSpec, labels: Readonly<Record<string, string>>): boolean {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    Object.entries(spec.nodeSelector).every(([key, value]) => labels[key] === value) &&
    (terms === undefined || terms.some((term) => term.matchExpressions.every((each) => isMet(each, labels))))
  );
}

function isMet({ key, operator, values }: NodeSelectorRequirement, labels: Readonly<Record<string, string>>): boolean {
  const label = labels[key];
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    case 'Gt':
      return Number(label) > Number(values[0]);
    case 'Lt':
      return Number(label) < Number(values[0]);
    default:
      return false;
  }
}

function shortages(pod: Pod, candidate: Candidate): string[] {
  const tooMany = candidate.pods.length + 1 > Number(candidate.capacity['pods'] ?? Infinity) ? ['Too many pods'] : [];
  const insufficient = ['cpu', 'memory']
    .filter((resource) => {
      const requested = requestOf(pod.spec, resource);
      if (requested === 0) return false;
      const used = candidate.pods.reduce((sum, each) => sum + requestOf(each.spec, resource), 0);
      return used + requested > parseQuantity(candidate.capacity[resource] ?? 0);
    })
    .map((resource) => `Insufficient ${resource}`);
  return [...tooMany, ...insufficient];
}

/** Returns what a Pod requests: the sum of its containers, or its largest init container if that is more. */
function requestOf(spec: PodSpec, resource: string): number {
  const ofContainer = (container: PodSpec['containers'][number]) =>
    parseQuantity(container.resources.requests?.[resource] ?? container.resources.limits?.[resource] ?? 0);
  const running = spec.containers.reduce((sum, container) => sum + ofContainer(container), 0);
  return Math.max(running, ...spec.initContainers.map(ofContainer));
}
