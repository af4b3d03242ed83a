import type { PodBehaviour } from './behaviour.ts';
import type { ContainerStatus } from './container-state.ts';
import type { PodStatus } from './pod-status.ts';

/** The time since each event of a Pod, in milliseconds. Undefined means that it has not happened. */
export interface Elapsed {
  sinceAcceptedMs: number;
  sinceSandboxMs: number | undefined;
  sinceRunningMs: number | undefined;
}

/** A status as the node reports it, and the time until the node reports it differently without a new event. */
export interface DisguisedStatus {
  status: PodStatus;
  nextChangeInMs: number | undefined;
}

/** The reasons that a virtual kubelet replaces with its own. */
const creatingReasons = new Set(['ContainerCreating', 'PodInitializing']);

/** Turns a true status into the one that a node with this behaviour reports. */
export function disguise(truth: PodStatus, behaviour: PodBehaviour, elapsed: Elapsed): DisguisedStatus {
  const status: PodStatus = { ...truth };
  const remaining: number[] = [];
  const isEarly = (elapsedMs: number | undefined, delayMs: number): boolean => {
    const leftMs = delayMs - (elapsedMs ?? 0);
    if (elapsedMs === undefined || leftMs <= 0) return false;
    remaining.push(leftMs);
    return true;
  };
  if (status.phase === 'Running' && isEarly(elapsed.sinceRunningMs, behaviour.phaseLagMs)) status.phase = 'Pending';
  if (isEarly(elapsed.sinceAcceptedMs, behaviour.hostIPDelayMs)) {
    delete status['hostIP'];
    delete status['hostIPs'];
  }
  if (isEarly(elapsed.sinceSandboxMs, behaviour.podIPDelayMs)) {
    delete status['podIP'];
    delete status['podIPs'];
  }
  if (behaviour.waitingWords !== undefined) {
    const word = behaviour.waitingWords[elapsed.sinceSandboxMs === undefined ? 0 : 1];
    status.containerStatuses = status.containerStatuses.map((container) => reworded(container, word));
  }
  const finite = remaining.filter(Number.isFinite);
  return { status, nextChangeInMs: finite.length === 0 ? undefined : Math.min(...finite) };
}

function reworded(container: ContainerStatus, word: string): ContainerStatus {
  return 'waiting' in container.state && creatingReasons.has(container.state.waiting.reason)
    ? { ...container, state: { waiting: { ...container.state.waiting, reason: word } } }
    : container;
}
