import { wordsOf } from './describe-pod.ts';
import { newestFirst } from './event-times.ts';
import type { EventView } from './kubernetes-objects.ts';
import type { PodVerdict } from './pod-verdict.ts';

/** The scheduler's word for a Pod that fits on no node. */
export const unschedulable = 'Unschedulable';

/**
 * The Events in which an autoscaler says what it does for a Pod: the cluster autoscaler's, and Karpenter's. Karpenter also
 * writes FailedScheduling, as the scheduler does, with a message of its own.
 *
 * @see https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md#what-events-are-emitted-by-ca
 * @see https://github.com/kubernetes-sigs/karpenter/blob/main/pkg/controllers/provisioning/scheduling/events.go
 */
const acts: ReadonlySet<string> = new Set(['TriggeredScaleUp', 'Nominated']);
const refuses: ReadonlySet<string> = new Set(['NotTriggerScaleUp', 'FailedScaleUp']);

/** Says whether a verdict is that the Pod fits on no node. */
export function isUnschedulable(verdict: PodVerdict): boolean {
  return verdict.kind === 'wait' && verdict.signal === unschedulable;
}

/** Adds to the scheduler's words what an autoscaler last said about the Pod, if one has. */
export function withAutoscaler(verdict: PodVerdict, events: readonly EventView[]): PodVerdict {
  const told = newestFirst(events).find(({ reason = '' }) => acts.has(reason) || refuses.has(reason));
  if (told === undefined) return verdict;
  const does = acts.has(told.reason ?? '') ? 'an autoscaler acts' : 'an autoscaler does not act';
  return { ...verdict, detail: `${verdict.detail}; ${does}: ${wordsOf(told)}` };
}
