import { type ContainerStatus, terminatedState } from './container-state.ts';
import type { PodPhase } from './phase.ts';
import { isSidecar, type PodSpec } from './pod.ts';

/** One condition of a Pod, as in the API. */
export interface PodCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastProbeTime: null;
  lastTransitionTime: string;
  reason?: string;
  message?: string;
}

/** A condition without its times. */
export type ConditionVerdict = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

/** The input for the kubelet's conditions. */
export interface ConditionFacts {
  spec: Pick<PodSpec, 'containers' | 'initContainers' | 'readinessGates'>;
  phase: PodPhase;
  statuses: ReadonlyMap<string, ContainerStatus>;
  /** Whether the Pod has its sandbox and therefore its address. */
  hasSandbox: boolean;
  /** The types of all conditions that are True. Readiness gates refer to them. */
  trueConditions: ReadonlySet<string>;
}

/**
 * Computes the conditions that the kubelet owns, in the order in which it writes them.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-conditions
 */
export function kubeletConditions(facts: ConditionFacts): ConditionVerdict[] {
  const containersReady = containersReadyCondition(facts);
  return [
    { type: 'PodReadyToStartContainers', status: facts.hasSandbox ? 'True' : 'False' },
    initializedCondition(facts),
    readyCondition(facts, containersReady),
    { type: 'ContainersReady', ...containersReady },
    { type: 'PodScheduled', status: 'True' },
  ];
}

/**
 * Merges conditions into a list as the kubelet does. Conditions of other writers stay. A condition whose status does
 * not change keeps its time.
 *
 * @param now the transition time of conditions whose status changes, in RFC 3339
 */
export function mergeConditions(
  existing: readonly PodCondition[],
  verdicts: readonly ConditionVerdict[],
  now: string,
): PodCondition[] {
  const owned = new Set(verdicts.map((verdict) => verdict.type));
  const merged = verdicts.map((verdict): PodCondition => {
    const before = existing.find((condition) => condition.type === verdict.type);
    const lastTransitionTime = before?.status === verdict.status ? before.lastTransitionTime : now;
    return { lastProbeTime: null, lastTransitionTime, ...verdict };
  });
  return [...existing.filter((condition) => !owned.has(condition.type)), ...merged];
}

function initializedCondition({ spec, phase, statuses }: ConditionFacts): ConditionVerdict {
  const incomplete = spec.initContainers
    .filter((container) => {
      const status = statuses.get(container.name);
      return isSidecar(container) ? status?.started !== true : terminatedState(status)?.exitCode !== 0;
    })
    .map((container) => container.name);
  if (phase === 'Succeeded') return { type: 'Initialized', status: 'True', reason: 'PodCompleted' };
  if (incomplete.length === 0 || phase === 'Running') return { type: 'Initialized', status: 'True' };
  const message = `containers with incomplete status: [${incomplete.join(' ')}]`;
  return { type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReadyCondition({ spec, phase, statuses }: ConditionFacts): Omit<ConditionVerdict, 'type'> {
  if (phase === 'Succeeded' || phase === 'Failed') {
    return { status: 'False', reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' };
  }
  const unready = [...spec.initContainers.filter(isSidecar), ...spec.containers]
    .map((container) => container.name)
    .filter((name) => statuses.get(name)?.ready !== true);
  if (unready.length === 0) return { status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

function readyCondition(
  { spec, trueConditions }: ConditionFacts,
  containersReady: Omit<ConditionVerdict, 'type'>,
): ConditionVerdict {
  const closed = spec.readinessGates.find((gate) => !trueConditions.has(gate.conditionType));
  if (containersReady.status === 'True' && closed !== undefined) {
    const message = `corresponding condition of pod readiness gate "${closed.conditionType}" does not exist.`;
    return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message };
  }
  return { type: 'Ready', ...containersReady };
}
